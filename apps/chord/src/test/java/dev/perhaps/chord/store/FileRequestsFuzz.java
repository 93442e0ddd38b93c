package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.wire.BadFrame;
import dev.perhaps.chord.wire.FrameReadBuffer;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.WireFrame;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Every question about files, whatever its body, is read or refused. */
class FileRequestsFuzz {
    private static final Id ID = Id.hashOf("file");
    private static final int MAX_BYTES = 1 << 16;

    /** The first byte is the type. */
    @MethodSource("seeds")
    @FuzzTest(maxDuration = "1m")
    void readsAQuestionOrRefusesIt(byte[] bytes) {
        if (bytes.length == 0 || bytes.length > MAX_BYTES) {
            return;
        }
        byte[] body = Arrays.copyOfRange(bytes, 1, bytes.length);
        try {
            assertThat(FileRequests.read(new WireFrame(bytes[0] & 0xFF, body))).isNotNull();
        } catch (BadFrame e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    static Stream<byte[]> seeds() {
        Random random = new Random(3);
        Map<Integer, FrameWriteBuffer> good = Map.ofEntries(
                Map.entry(FrameTypes.STORE, entry(StoreEntry.name("n", ID, 1, 3))),
                Map.entry(FrameTypes.LOOK, new FrameWriteBuffer().id(ID)),
                Map.entry(FrameTypes.FETCH, new FrameWriteBuffer().id(ID).i64(1)),
                Map.entry(
                        FrameTypes.COMPARE,
                        new FrameWriteBuffer()
                                .u16(1)
                                .id(ID)
                                .id(ID)
                                .i64(1)
                                .flag(true)
                                .u8(3)),
                Map.entry(
                        FrameTypes.HASHES,
                        new FrameWriteBuffer().id(ID).id(ID).u8(3).u16(1).id(ID).u8(2)),
                Map.entry(
                        FrameTypes.PRESENCE,
                        new FrameWriteBuffer().text("a:1").i64(1).u8(2)),
                Map.entry(FrameTypes.HEARD, new FrameWriteBuffer()),
                Map.entry(
                        FrameTypes.SWEEP,
                        new FrameWriteBuffer().flag(false).u16(1).id(ID).i64(1)),
                Map.entry(FrameTypes.REACH, new FrameWriteBuffer().text("[::1]:7001")),
                Map.entry(
                        FrameTypes.PUT,
                        new FrameWriteBuffer().id(ID).i64(70_000).u8(3)),
                Map.entry(
                        FrameTypes.NAME, new FrameWriteBuffer().text("n").id(ID).u8(3)),
                Map.entry(FrameTypes.NAMED, new FrameWriteBuffer().text("n")),
                Map.entry(FrameTypes.FORGET, new FrameWriteBuffer().text("host.example:7001")));
        return good.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(each -> typed(each.getKey(), each.getValue().bytes()))
                .flatMap(bytes -> Stream.of(bytes, flipped(bytes, random), flipped(bytes, random)));
    }

    @MethodSource("entrySeeds")
    @FuzzTest(maxDuration = "1m")
    void readsAnEntryAndWritesItAgainOrRefusesIt(byte[] body) {
        try {
            FrameReadBuffer in = new FrameReadBuffer(body);
            StoreEntry entry = StoreEntry.read(in);
            in.end();
            FrameWriteBuffer out = new FrameWriteBuffer();
            entry.write(out);
            assertThat(out.bytes()).isEqualTo(body);
        } catch (BadFrame e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    static Stream<byte[]> entrySeeds() {
        Random random = new Random(4);
        return Stream.of(StoreEntry.file(ID, 1, 70_000, 3), StoreEntry.name("n", ID, 1, 3))
                .map(each -> {
                    FrameWriteBuffer body = new FrameWriteBuffer();
                    each.write(body);
                    return body.bytes();
                })
                .flatMap(bytes -> Stream.concat(
                        List.of(bytes, new byte[0]).stream(),
                        Stream.generate(() -> flipped(bytes, random)).limit(6)));
    }

    private static FrameWriteBuffer entry(StoreEntry entry) {
        FrameWriteBuffer body = new FrameWriteBuffer().flag(true);
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
