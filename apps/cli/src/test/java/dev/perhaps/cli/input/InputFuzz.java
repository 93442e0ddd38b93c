package dev.perhaps.cli.input;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.github.luben.zstd.Zstd;
import dev.perhaps.cli.input.compressed.GzipMembers;
import dev.perhaps.cli.input.compressed.ZstdFrames;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever an input holds, its reader takes it or refuses it with one line that names the input. */
class InputFuzz {
    private static final List<String> FORMS = List.of(
            "lines", "urls", "kmers:4", "kmers:31", "csv:name", "csv:2", "jsonl:name", "jsonl:a.b", "word:2", "word:7");
    private static final List<String> BASKETS = List.of("lines", "csv", "csv:basket,item", "jsonl:items");
    /** A decompressed input is read no further: some bytes become gigabytes. */
    private static final int MAX_BYTES = 1 << 22;

    /** The first byte chooses the form. */
    @MethodSource("recordSeeds")
    @FuzzTest(maxDuration = "1m")
    void readsRecordsOrRefuses(byte[] bytes) throws IOException {
        if (bytes.length == 0) {
            return;
        }
        String form = FORMS.get((bytes[0] & 0x7F) % FORMS.size());
        boolean fields = bytes[0] < 0 && List.of("csv", "jsonl", "word").contains(form.split(":", -1)[0]);
        boolean words = form.startsWith("word");
        Fields read = fields
                ? new Fields(words ? "1" : "weight", words ? "3" : "time", BadRecords.skipped(problem -> {}))
                : Fields.none();
        byte[] text = Arrays.copyOfRange(bytes, 1, bytes.length);
        KeyForm.Sink sink = entry -> assertThat(entry.where()).startsWith("stdin");
        refusedByName(() -> KeyForm.of(form, 1, read).read("stdin", new ByteArrayInputStream(text), sink));
        refusedByName(() -> KeyForm.of(form, 1, read).ask("stdin", new ByteArrayInputStream(text), sink));
    }

    static Stream<byte[]> recordSeeds() {
        List<String> texts = List.of(
                "a\nb\r\n\n\0c",
                "https://example.org/a?b#c\n# comment\nhttp://[::1]:80/%41\n",
                ">one\nACGTACGTNNacgt\n>two\nAC\n",
                "@r\nACGTACGT\n+\nIIIIIIII\n",
                "name,weight,time\n\"a \"\"b\"\"\",3,2026-01-01\n,,\n\"cut",
                "{\"name\":\"a\",\"weight\":2,\"time\":1e3,\"a\":{\"b\":[1,\"\\u0000\"]}}\n{\"name\":null}\n",
                "1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.0\" 200 2326\n");
        return IntStream.range(0, FORMS.size())
                .boxed()
                .flatMap(form -> texts.stream()
                        .flatMap(text -> Stream.of(form, form + 120 / FORMS.size() * FORMS.size() - 128)
                                .map(first -> chosen(first, text))));
    }

    /** The first byte chooses the form. */
    @MethodSource("basketSeeds")
    @FuzzTest(maxDuration = "1m")
    void readsBasketsOrRefuses(byte[] bytes) throws IOException {
        if (bytes.length == 0) {
            return;
        }
        BasketForm form = BasketForm.of(BASKETS.get((bytes[0] & 0x7F) % BASKETS.size()), null);
        int[] items = {0};
        refusedByName(() ->
                form.read("stdin", new ByteArrayInputStream(bytes, 1, bytes.length - 1), new BasketForm.Sink() {
                    @Override
                    public void item(byte[] text, int from, int to) {
                        assertThat(from).isLessThanOrEqualTo(to);
                        items[0]++;
                    }

                    @Override
                    public void end(String input, long line) {
                        assertThat(items[0]).isNotNegative();
                    }
                }));
    }

    static Stream<byte[]> basketSeeds() {
        List<String> texts = List.of(
                "a b\tc\n\n d",
                "a,b\n\"c\nd\",e\n",
                "basket,item\n1,x\n1,y\n2,\"x",
                "{\"items\":[\"a\",1,null,[]]}\n{}\n");
        return IntStream.range(0, BASKETS.size())
                .boxed()
                .flatMap(form -> texts.stream().map(text -> chosen(form, text)));
    }

    @MethodSource("archiveSeeds")
    @FuzzTest(maxDuration = "1m")
    void decompressesOrRefuses(byte[] bytes) throws IOException {
        refusedByName(() -> {
            try (GzipMembers in = new GzipMembers(new ByteArrayInputStream(bytes), 64)) {
                in.readNBytes(MAX_BYTES);
            }
        });
        refusedByName(() -> {
            try (ZstdFrames in = new ZstdFrames(new ByteArrayInputStream(bytes), 64)) {
                in.readNBytes(MAX_BYTES);
            }
        });
    }

    static Stream<byte[]> archiveSeeds() throws IOException {
        byte[] text = "Lisbon\nOslo\nOslo\nOslo\nOslo\n".getBytes(UTF_8);
        ByteArrayOutputStream gzip = new ByteArrayOutputStream();
        for (int member = 0; member < 2; member++) {
            try (GZIPOutputStream out = new GZIPOutputStream(gzip)) {
                out.write(text);
            }
        }
        Random random = new Random(6);
        return Stream.of(gzip.toByteArray(), Zstd.compress(text))
                .flatMap(bytes -> Stream.concat(
                        Stream.of(bytes),
                        Stream.generate(() -> flipped(bytes, random)).limit(8)));
    }

    private interface Reading {
        void run() throws IOException;
    }

    private static void refusedByName(Reading reading) {
        try {
            reading.run();
        } catch (BadInput | IOException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    private static byte[] chosen(int first, String text) {
        byte[] bytes = text.getBytes(UTF_8);
        byte[] all = new byte[bytes.length + 1];
        all[0] = (byte) first;
        System.arraycopy(bytes, 0, all, 1, bytes.length);
        return all;
    }

    private static byte[] flipped(byte[] good, Random random) {
        byte[] bad = Arrays.copyOf(good, random.nextInt(4) == 0 ? random.nextInt(good.length) + 1 : good.length);
        bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
        return bad;
    }
}
