package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.net.BadFrame;
import dev.perhaps.chord.net.BodyReader;
import dev.perhaps.chord.net.BodyWriter;
import dev.perhaps.chord.net.Frame;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Every question about files, whatever its body, is read or refused. */
class QuestionsFuzz {
    private static final Id ID = Id.hashOf("file");
    private static final int MOST_BYTES = 1 << 16;

    /** The first byte is the type. */
    @MethodSource("seeds")
    @FuzzTest(maxDuration = "1m")
    void readsAQuestionOrRefusesIt(byte[] bytes) {
        if (bytes.length == 0 || bytes.length > MOST_BYTES) {
            return;
        }
        byte[] body = Arrays.copyOfRange(bytes, 1, bytes.length);
        try {
            assertThat(Questions.read(new Frame(bytes[0] & 0xFF, body))).isNotNull();
        } catch (BadFrame e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    static Stream<byte[]> seeds() {
        Random random = new Random(3);
        Map<Integer, BodyWriter> good = Map.ofEntries(
                Map.entry(Calls.STORE, entry(Entry.name("n", ID, 1, 3))),
                Map.entry(Calls.LOOK, new BodyWriter().id(ID)),
                Map.entry(Calls.FETCH, new BodyWriter().id(ID).i64(1)),
                Map.entry(
                        Calls.COMPARE,
                        new BodyWriter().u16(1).id(ID).id(ID).i64(1).flag(true).u8(3)),
                Map.entry(
                        Calls.HASHES,
                        new BodyWriter().id(ID).id(ID).u8(3).u16(1).id(ID).u8(2)),
                Map.entry(Calls.PRESENCE, new BodyWriter().text("a:1").i64(1).u8(2)),
                Map.entry(Calls.HEARD, new BodyWriter()),
                Map.entry(
                        Calls.SWEEP, new BodyWriter().flag(false).u16(1).id(ID).i64(1)),
                Map.entry(Calls.REACH, new BodyWriter().text("[::1]:7001")),
                Map.entry(Calls.PUT, new BodyWriter().id(ID).i64(70_000).u8(3)),
                Map.entry(Calls.NAME, new BodyWriter().text("n").id(ID).u8(3)),
                Map.entry(Calls.NAMED, new BodyWriter().text("n")),
                Map.entry(Calls.FORGET, new BodyWriter().text("host.example:7001")));
        return good.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(each -> typed(each.getKey(), each.getValue().bytes()))
                .flatMap(bytes -> Stream.of(bytes, flipped(bytes, random), flipped(bytes, random)));
    }

    @MethodSource("entrySeeds")
    @FuzzTest(maxDuration = "1m")
    void readsAnEntryAndWritesItAgainOrRefusesIt(byte[] body) {
        try {
            BodyReader in = new BodyReader(body);
            Entry entry = Entry.read(in);
            in.end();
            BodyWriter out = new BodyWriter();
            entry.write(out);
            assertThat(out.bytes()).isEqualTo(body);
        } catch (BadFrame e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    static Stream<byte[]> entrySeeds() {
        Random random = new Random(4);
        return Stream.of(Entry.file(ID, 1, 70_000, 3), Entry.name("n", ID, 1, 3))
                .map(each -> {
                    BodyWriter body = new BodyWriter();
                    each.write(body);
                    return body.bytes();
                })
                .flatMap(bytes -> Stream.concat(
                        List.of(bytes, new byte[0]).stream(),
                        Stream.generate(() -> flipped(bytes, random)).limit(6)));
    }

    private static BodyWriter entry(Entry entry) {
        BodyWriter body = new BodyWriter().flag(true);
        entry.write(body);
        return body;
    }

    private static byte[] typed(int type, byte[] body) {
        byte[] all = new byte[body.length + 1];
        all[0] = (byte) type;
        System.arraycopy(body, 0, all, 1, body.length);
        return all;
    }

    private static byte[] flipped(byte[] good, Random random) {
        byte[] bad = good.clone();
        bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
        return bad;
    }
}
