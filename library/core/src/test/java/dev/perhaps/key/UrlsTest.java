package dev.perhaps.key;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UrlsTest {
    /** The cases that "URLs and Hashing" of the Safe Browsing API publishes. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "http://host/%25%32%35 -> http://host/%25",
                "http://host/%25%32%35%25%32%35 -> http://host/%25%25",
                "http://host/%2525252525252525 -> http://host/%25",
                "http://host/asdf%25%32%35asd -> http://host/asdf%25asd",
                "http://host/%%%25%32%35asd%% -> http://host/%25%25%25asd%25%25",
                "http://www.google.com/ -> http://www.google.com/",
                "http://%31%36%38%2e%31%38%38%2e%39%39%2e%32%36/%2E%73%65%63%75%72%65/%77%77%77%2E%65%62%61%79%2E%63%6F%6D/"
                        + " -> http://168.188.99.26/.secure/www.ebay.com/",
                "http://195.127.0.11/uploads/%20%20%20%20/.verify/.eBaysecure=updateuserdataxplimnbqmn-xplmvalidateinfoswqpcmlx=hgplmcx/"
                        + " -> http://195.127.0.11/uploads/%20%20%20%20/.verify/.eBaysecure=updateuserdataxplimnbqmn-xplmvalidateinfoswqpcmlx=hgplmcx/",
                "http://host%23.com/%257Ea%2521b%2540c%2523d%2524e%25f%255E00%252611%252A22%252833%252944_55%252B"
                        + " -> http://host%23.com/~a!b@c%23d$e%25f^00&11*22(33)44_55+",
                "http://3279880203/blah -> http://195.127.0.11/blah",
                "http://www.google.com/blah/.. -> http://www.google.com/",
                "www.google.com/ -> http://www.google.com/",
                "www.google.com -> http://www.google.com/",
                "http://www.evil.com/blah#frag -> http://www.evil.com/blah",
                "http://www.GOOgle.com/ -> http://www.google.com/",
                "http://www.google.com.../ -> http://www.google.com/",
                "http://www.google.com/q? -> http://www.google.com/q?",
                "http://www.google.com/q?r? -> http://www.google.com/q?r?",
                "http://www.google.com/q?r?s -> http://www.google.com/q?r?s",
                "http://evil.com/foo#bar#baz -> http://evil.com/foo",
                "http://evil.com/foo; -> http://evil.com/foo;",
                "http://evil.com/foo?bar; -> http://evil.com/foo?bar;",
                "http://notrailingslash.com -> http://notrailingslash.com/",
                "http://www.gotaport.com:1234/ -> http://www.gotaport.com/",
                "  http://www.google.com/   -> http://www.google.com/",
                "http:// leadingspace.com/ -> http://%20leadingspace.com/",
                "http://%20leadingspace.com/ -> http://%20leadingspace.com/",
                "%20leadingspace.com/ -> http://%20leadingspace.com/",
                "https://www.securesite.com/ -> https://www.securesite.com/",
                "http://host.com/ab%23cd -> http://host.com/ab%23cd",
                "http://host.com//twoslashes?more//slashes -> http://host.com/twoslashes?more//slashes",
            })
    void givesThePublishedCanonicalForms(String url, String canonical) {
        assertThat(Urls.canonical(url)).isEqualTo(canonical);
    }

    @Test
    void givesThePublishedCanonicalFormsOfControlsAndBytes() {
        assertThat(Urls.canonical("http://www.google.com/foo\tbar\rbaz\n2"))
                .isEqualTo("http://www.google.com/foobarbaz2");
        byte[] bytes = "http://\u0001\u0080.com/".getBytes(ISO_8859_1);
        assertThat(Urls.canonical(Urls.text(bytes, 0, bytes.length))).isEqualTo("http://%01%80.com/");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                // addresses, as inet_aton reads them, and only those
                "http://0xc3.0177.11/ -> http://195.127.0.11/",
                "http://012.034.01.055/ -> http://10.28.1.45/",
                "http://0XC37F000B/ -> http://195.127.0.11/",
                "http://4294967295/ -> http://255.255.255.255/",
                "http://4294967296/ -> http://4294967296/",
                "http://1.2.3.256/ -> http://1.2.3.256/",
                "http://1.2.3.08/ -> http://1.2.3.08/",
                "http://1.2.3.4.5/ -> http://1.2.3.4.5/",
                "http://99999999999999999999999/ -> http://99999999999999999999999/",
                "http://1.0x/ -> http://1.0x/",
                "http://[2001:0DB8:0000::0001]:80/ -> http://[2001:db8::1]/",
                "http://[1:0:0:2:0:0:0:3]/ -> http://[1:0:0:2::3]/",
                "http://[0:0:0:0:0:0:0:0]/ -> http://[::]/",
                "http://[1:2:3:4:5:6:0:7]/ -> http://[1:2:3:4:5:6:0:7]/",
                "http://[::ffff:1.2.3.4]/ -> http://1.2.3.4/",
                "http://[64:ff9b::1.2.3.4]/ -> http://1.2.3.4/",
                // names
                "http://..a...b.com../x -> http://a.b.com/x",
                "http://www.ümlat.com/ -> http://www.xn--mlat-zra.com/",
                "http://www.%C3%BCmlat.com/ -> http://www.xn--mlat-zra.com/",
                "http://例え。テスト/ -> http://xn--r8jz45g.xn--zckzah/",
                "http://user:secret@host@evil.com:80/ -> http://evil.com/",
                "http://W!eird<>Ho$^.com/ -> http://w!eird<>ho$^.com/",
                "FTP://ftp.myfiles.com -> ftp://ftp.myfiles.com/",
                "http%3A%2F%2Fwackyurl.com:80/ -> http://wackyurl.com/",
                "localhost:8080/x -> http://localhost/x",
                // paths
                "http://a.com?q=1 -> http://a.com/?q=1",
                "http://a.com/foo/.././bar/./../foo.html -> http://a.com/foo.html",
                "http://a.com/../../x -> http://a.com/x",
                "http://a.com/a/b/. -> http://a.com/a/b/",
                "http://a.com//a//b///c//// -> http://a.com/a/b/c/",
                "http://a.com/a//../b -> http://a.com/a/b",
                "http://a.com/%2e%2e/x?../y/./z -> http://a.com/x?../y/./z",
                "http://a.com/é -> http://a.com/%C3%A9",
                "http://a.com/%e9 -> http://a.com/%E9",
            })
    void normalisesHostAndPath(String url, String canonical) {
        assertThat(Urls.canonical(url)).isEqualTo(canonical);
    }

    @Test
    void givesThePublishedExpressions() {
        assertThat(Urls.expressions("http://a.b.c/1/2.html?param=1"))
                .containsExactly(
                        "a.b.c/1/2.html?param=1",
                        "a.b.c/1/2.html",
                        "a.b.c/",
                        "a.b.c/1/",
                        "b.c/1/2.html?param=1",
                        "b.c/1/2.html",
                        "b.c/",
                        "b.c/1/");
        assertThat(Urls.expressions("http://a.b.c.d.e.f.g/1.html"))
                .containsExactly(
                        "a.b.c.d.e.f.g/1.html",
                        "a.b.c.d.e.f.g/",
                        "c.d.e.f.g/1.html",
                        "c.d.e.f.g/",
                        "d.e.f.g/1.html",
                        "d.e.f.g/",
                        "e.f.g/1.html",
                        "e.f.g/",
                        "f.g/1.html",
                        "f.g/");
        assertThat(Urls.expressions("http://1.2.3.4/1/")).containsExactly("1.2.3.4/1/", "1.2.3.4/");
    }

    @Test
    void givesAtMostThirtyDifferentExpressions() {
        List<String> most = Urls.expressions("http://a.b.c.d.e.f.g/1/2/3/4/5.html?x");
        assertThat(new HashSet<>(most)).hasSize(Urls.MAX_EXPRESSIONS).hasSameSizeAs(most);
        assertThat(Urls.expressions("http://a.b.c/1/2/3/4/5/"))
                .startsWith("a.b.c/1/2/3/4/5/", "a.b.c/", "a.b.c/1/", "a.b.c/1/2/", "a.b.c/1/2/3/", "b.c/1/2/3/4/5/")
                .hasSize(10);
        assertThat(Urls.expressions("http://a.b.c.d.e/")).containsExactly("a.b.c.d.e/", "b.c.d.e/", "c.d.e/", "d.e/");
        assertThat(Urls.expressions("http://host/")).containsExactly("host/");
        assertThat(Urls.expressions("http://[2001:470:1:18::114]/a/b"))
                .containsExactly("[2001:470:1:18::114]/a/b", "[2001:470:1:18::114]/", "[2001:470:1:18::114]/a/");
    }

    @Test
    void hashesAListEntryAsTheExpressionThatFindsIt() {
        Urls urls = Key.urls().seeded(5);
        long[] hashes = new long[Urls.MAX_EXPRESSIONS];
        int count = urls.hashes("https://user@WWW.Evil.example:8443/a/b.html?c=d#e", hashes);
        List<Long> asked = Arrays.stream(hashes, 0, count).boxed().toList();
        for (String entry : List.of(
                "evil.example",
                "evil.example/",
                "http://evil.example/a/",
                "evil.example/a/b.html",
                "www.evil.example/a/b.html?c=d",
                "https://www.evil.example./a/../a/%62.html?c=d")) {
            assertThat(asked).as(entry).contains(urls.hash(entry));
        }
        assertThat(asked).doesNotContain(urls.hash("example/"), urls.hash("evil.example/a"));
        assertThat(count).isEqualTo(8);
        assertThatThrownBy(() -> urls.hashes("http://a.b.c/", new long[1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("2 expressions need room for as many hashes, got 1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "/blah",
                "#ref",
                "?query#ref",
                "/blah;param",
                "http://",
                "http://#ref",
                "http:///blah?query#ref",
                "http://.../x",
                "http://user@/",
                "mailto:bryner@google.com",
                "javascript:alert(1)",
                "http:www.google.com:8080/foo.html",
                "www.google.com:xxyy/foo.html:80",
                "http://a:80:90/",
                "http://[::1/",
                "http://[1.2.3.4]/",
                "http://[::1%25eth0]/",
                "http://[:::]/",
                "http://[::1]x/",
            })
    void refusesWhatNamesNoHost(String url) {
        assertThatThrownBy(() -> Urls.canonical(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the URL '" + url + "' has ");
        assertThatThrownBy(() -> Urls.expressions(url)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Key.urls().hash(url)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void saysNoMoreOfALongUrlThanAPersonReads() {
        assertThatThrownBy(() -> Urls.canonical("/\u0007" + "x".repeat(1_000_000)))
                .hasMessage("the URL '/?" + "x".repeat(118) + "…' has no host");
    }

    @Test
    void resolvesManyNestedEscapesInOnePass() {
        String deep = "http://host/" + "%25".repeat(300_000) + "32".repeat(300_000);
        assertThat(Urls.canonical(deep)).startsWith("http://host/%25").hasSizeLessThan(3 * deep.length());
        String shrinking = "http://host/%" + "25".repeat(500_000);
        assertThat(Urls.canonical(shrinking)).isEqualTo("http://host/%25");
    }

    @Test
    void readsBytesInAnyEncoding() {
        byte[] utf8 = "http://www.ümlat.com/é%".getBytes(UTF_8);
        assertThat(Urls.canonical(Urls.text(utf8, 0, utf8.length)))
                .isEqualTo(Urls.canonical("http://www.ümlat.com/é%"));
        byte[] latin1 = "xxhttp://a.com/ü".getBytes(ISO_8859_1);
        assertThat(Urls.text(latin1, 2, latin1.length)).isEqualTo("http://a.com/%FC");
    }
}
