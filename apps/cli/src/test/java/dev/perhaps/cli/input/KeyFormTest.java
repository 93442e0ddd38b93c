package dev.perhaps.cli.input;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.key.Key;
import dev.perhaps.key.Kmers;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The forms in which a record has more hashes than one: URLs and sequences. */
class KeyFormTest {
    private static final Kmers KMERS = Key.kmers(4);

    @Test
    void readsASequenceOverSeveralLines() throws IOException {
        String fasta = "\n>one and more\nACGTN\nACG\r\nTTGA\n\nCC\n>two\tx\n>three\nacgta";
        Map<String, List<Long>> records = read("kmers:4", fasta);
        assertThat(records.keySet()).containsExactly("one", "two", "three");
        assertThat(records.get("one")).isEqualTo(hashes("ACGT", "ACGT", "CGTT", "GTTG", "TTGA", "TGAC", "GACC"));
        assertThat(records.get("two")).isEmpty();
        assertThat(records.get("three")).isEqualTo(hashes("ACGT", "CGTA"));
    }

    @Test
    void readsFourLinesARead() throws IOException {
        Map<String, List<Long>> records =
                read("kmers:4", "@r/1 x\nACGTA\n+\n@@@@@\n@r/2\nGGG\n+r/2\n>>>\n\n@\nTTTT\n+\nIIII");
        assertThat(records.keySet()).containsExactly("r/1", "r/2", "");
        assertThat(records.get("r/1")).isEqualTo(hashes("ACGT", "CGTA"));
        assertThat(records.get("r/2")).isEmpty();
        assertThat(records.get("")).isEqualTo(hashes("AAAA"));
    }

    @Test
    void readsWholeNumbersOf64Bits() throws IOException {
        Map<String, List<Long>> records = read("int64", "7\r\n\n-9223372036854775808\n+42");
        assertThat(records)
                .isEqualTo(Map.of(
                        "7", List.of(Key.longs().hash(7)),
                        "-9223372036854775808", List.of(Key.longs().hash(Long.MIN_VALUE)),
                        "+42", List.of(Key.longs().hash(42))));
        for (String bad : List.of("1.5", "9223372036854775808", "seven", " 7")) {
            assertThatThrownBy(() -> read("int64", "1\n" + bad))
                    .isInstanceOf(BadInput.class)
                    .hasMessageContaining(
                            "reads line 2: '" + bad + "' is not a whole number from -9223372036854775808");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ACGT | reads line 1: a sequence starts with > (FASTA) or @ (FASTQ)",
                "@r;ACGT;ACGT;IIII | reads line 3: a line with + was expected here",
                "@r;ACGT;+;III | reads line 4: a FASTQ read has a quality for each letter, got 3 for 4",
                "@r;ACGT;+;IIII;@s;AC | reads line 6: the FASTQ read 's' ends before its four lines do",
                "@r | reads line 1: the FASTQ read 'r' ends before its four lines do",
            })
    void refusesWhatIsNoSequence(String lines, String message) {
        assertThatThrownBy(() -> read("kmers:4", lines.replace(';', '\n')))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining(message);
    }

    @Test
    void addsAUrlAsOneAndAsksForAllThatCoverIt() throws IOException {
        String urls = "# a list\n\nhttp://www.Evil.example/a\r\n";
        assertThat(read("urls", urls)).containsOnlyKeys("http://www.Evil.example/a");
        assertThat(read("urls", urls).values())
                .containsExactly(List.of(Key.strings().hash("www.evil.example/a")));
        Map<String, List<Long>> asked = collect("urls", urls.getBytes(UTF_8), true);
        assertThat(asked.get("http://www.Evil.example/a"))
                .containsExactly(
                        Key.strings().hash("www.evil.example/a"),
                        Key.strings().hash("www.evil.example/"),
                        Key.strings().hash("evil.example/a"),
                        Key.strings().hash("evil.example/"));
    }

    @Test
    void keepsTheBytesOfAUrl() throws IOException {
        Map<String, List<Long>> latin1 = collect("urls", "a.example/ü".getBytes(ISO_8859_1), false);
        assertThat(latin1.values()).containsExactly(List.of(Key.strings().hash("a.example/%FC")));
        assertThatThrownBy(() -> read("urls", "a.example\nmailto:x@y.example"))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining("reads line 2: the URL 'mailto:x@y.example' has no //");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lines", "int64", "urls", "kmers:1", "kmers:32", "csv:a b", "jsonl:a.b"})
    void isFoundAgainByTheNameInTheFile(String text) {
        KeyForm form = KeyForm.of(text, 7);
        KeyForm again = KeyForm.ofKeyName(form.key().name(), 7);
        assertThat(again).hasSameClassAs(form);
        assertThat(again.key().name()).isEqualTo(form.key().name());
        assertThat(again.key().seed()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(strings = {"kmers", "kmers:", "kmers:0", "kmers:33", "kmers:x", "kmers:-1", "kmers:031"})
    void refusesALengthThatIsNone(String text) {
        assertThatThrownBy(() -> KeyForm.of(text, 0))
                .isInstanceOf(BadInput.class)
                .hasMessage("the format '" + text + "' needs a length of 1 to 32 bases, as in kmers:31");
    }

    private static List<Long> hashes(String... kmers) {
        return Arrays.stream(kmers).map(KMERS::hash).toList();
    }

    private static Map<String, List<Long>> read(String form, String text) throws IOException {
        return collect(form, text.getBytes(UTF_8), false);
    }

    /** All records with their hashes; a record's name counts from its last piece. */
    private static Map<String, List<Long>> collect(String text, byte[] input, boolean ask) throws IOException {
        Map<String, List<Long>> records = new LinkedHashMap<>();
        LongStream.Builder[] pieces = {LongStream.builder()};
        KeyForm form = KeyForm.of(text, 0);
        KeyForm.Sink sink = entry -> {
            Arrays.stream(entry.hashes(), 0, entry.hashCount()).forEach(pieces[0]);
            if (entry.last()) {
                String name = new String(entry.bytes(), entry.from(), entry.to() - entry.from(), UTF_8);
                records.put(name, pieces[0].build().boxed().toList());
                pieces[0] = LongStream.builder();
            }
        };
        if (ask) {
            form.ask("reads", new ByteArrayInputStream(input), sink);
        } else {
            form.read("reads", new ByteArrayInputStream(input), sink);
        }
        return records;
    }
}
