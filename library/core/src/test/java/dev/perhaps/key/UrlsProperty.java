package dev.perhaps.key;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

class UrlsProperty {
    private static final String PIECES = "http:// ftp: // / /../ /./ . .. ? # @ : :80 [::1] [ ] \\ a B - com 41 25 "
            + "% %4 %25 %2e %2F %3f %C3%BC %ff ü ß İ 。 ． … ／ ％ ： ＠ ⒈ ℀ ａ xn-- xn--mlat-zra 0x7f 017 1.2 3279880203";

    /** Garbage made of what has a meaning in URLs. */
    @Provide
    Arbitrary<String> urls() {
        Arbitrary<String> pieces = Arbitraries.of(PIECES.split(" "));
        Arbitrary<String> controls = Arbitraries.of(" ", "\t", "\u0000", "\u00AD", "\uD800");
        Arbitrary<String> piece = Arbitraries.frequencyOf(Tuple.of(10, pieces), Tuple.of(1, controls));
        return piece.list().ofMaxSize(12).map(list -> String.join("", list));
    }

    @Property(tries = 3_000)
    void aCanonicalFormIsItsOwnCanonicalForm(@ForAll("urls") String url) {
        String canonical = canonicalOrRefused(url);
        Assume.that(!canonical.isEmpty());
        assertThat(canonical).matches("[!-\"$-~]+");
        assertThat(Urls.canonical(canonical)).isEqualTo(canonical);

        List<String> expressions = Urls.expressions(url);
        assertThat(expressions).hasSizeBetween(1, Urls.MAX_EXPRESSIONS).doesNotHaveDuplicates();
        assertThat(canonical).endsWith("://" + expressions.get(0));
        for (String expression : expressions) {
            if (endsInANumber(expression)) {
                continue;
            }
            assertThat(Urls.canonical(expression)).isEqualTo("http://" + expression);
            assertThat(Key.urls().hash(expression)).isEqualTo(Key.strings().hash(expression));
        }
    }

    @Property
    void bytesAndTextAreOne(@ForAll("urls") String url) {
        byte[] bytes = url.getBytes(UTF_8);
        String text = Urls.text(bytes, 0, bytes.length);
        assertThat(canonicalOrRefused(text)).isEqualTo(canonicalOrRefused(url));
    }

    @Property
    void garbageIsRefusedAndNothingWorse(@ForAll String garbage) {
        canonicalOrRefused(garbage);
    }

    @Example
    void aLabelTooLongForDnsStaysEscaped() {
        String label = "ü".repeat(80);
        assertThat(Urls.canonical("http://" + label + ".com/")).isEqualTo("http://" + "%C3%BC".repeat(80) + ".com/");
    }

    /** A suffix of a name may be an address in one of its short forms, though no such name exists. */
    private static boolean endsInANumber(String expression) {
        return expression.matches("(.*\\.)?(0x)?[0-9a-f]+/.*");
    }

    @CanIgnoreReturnValue
    private static String canonicalOrRefused(String url) {
        try {
            return Urls.canonical(url);
        } catch (IllegalArgumentException refused) {
            assertThat(refused).hasMessageContaining("the URL '");
            return "";
        }
    }
}
