package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.wire.BadFrame;
import dev.perhaps.chord.wire.FrameReadBuffer;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.WireFrame;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The questions about files as bytes: what is one, and what must never reach the store. */
class FileRequestsTest {
    private static final Id ID = Id.hashOf("file");
    private static final StoreEntry FILE = StoreEntry.file(ID, 1, 70_000, 3);
    private static final StoreEntry NAME = StoreEntry.name("n", ID, 1, 3);

    private static FrameWriteBuffer entry(StoreEntry entry) {
        FrameWriteBuffer body = new FrameWriteBuffer().flag(true);
        entry.write(body);
        return body;
    }

    private static Map<Integer, FrameWriteBuffer> good() {
        Map<Integer, FrameWriteBuffer> good = new LinkedHashMap<>();
        good.put(FrameTypes.STORE, entry(NAME));
        good.put(FrameTypes.LOOK, new FrameWriteBuffer().id(ID));
        good.put(FrameTypes.FETCH, new FrameWriteBuffer().id(ID).i64(1));
        good.put(
                FrameTypes.COMPARE,
                new FrameWriteBuffer().u16(1).id(ID).id(ID).i64(1).flag(true).u8(3));
        good.put(
                FrameTypes.HASHES,
                new FrameWriteBuffer().id(ID).id(ID).u8(3).u16(1).id(ID).u8(2));
        good.put(FrameTypes.PRESENCE, new FrameWriteBuffer().text("a:1").i64(1).u8(2));
        good.put(
                FrameTypes.SWEEP,
                new FrameWriteBuffer().flag(false).u16(1).id(ID).i64(1));
        good.put(FrameTypes.REACH, new FrameWriteBuffer().text("[::1]:7001"));
        good.put(FrameTypes.PUT, new FrameWriteBuffer().id(ID).i64(70_000).u8(3));
        good.put(FrameTypes.NAME, new FrameWriteBuffer().text("n").id(ID).u8(3));
        good.put(FrameTypes.NAMED, new FrameWriteBuffer().text("n"));
        good.put(FrameTypes.FORGET, new FrameWriteBuffer().text("host.example:7001"));
        return good;
    }

    @Test
    void everyQuestionIsReadAndNoPartOfOneNorAnythingBehindIt() throws Exception {
        for (Map.Entry<Integer, FrameWriteBuffer> each : good().entrySet()) {
            byte[] whole = each.getValue().bytes();
            assertThat(FileRequests.read(new WireFrame(each.getKey(), whole))).isNotNull();
            for (int length = 0; length <= whole.length + 1; length++) {
                if (length != whole.length) {
                    refused(each.getKey(), new FrameWriteBuffer().raw(Arrays.copyOf(whole, length)));
                }
            }
        }
    }

    @Test
    void changedBytesGiveAQuestionOrAreRefused() {
        Random random = new Random(7);
        List<Map.Entry<Integer, FrameWriteBuffer>> all = List.copyOf(good().entrySet());
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = all.get(i % all.size()).getValue().bytes();
            for (int j = 0; j <= i % 3; j++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(FileRequests.read(
                                new WireFrame(all.get(i % all.size()).getKey(), bytes)))
                        .isNotNull();
            } catch (BadFrame e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(1_000, 19_000);
    }

    private static void refused(int type, FrameWriteBuffer body) {
        assertThatThrownBy(() -> FileRequests.read(new WireFrame(type, body.bytes())))
                .isInstanceOf(BadFrame.class);
    }

    @Test
    void numbersNearOverflowAndBelowZeroAreRefused() {
        for (long number : new long[] {Long.MAX_VALUE, FrameReadBuffer.MAX_COUNT + 1, -1, Long.MIN_VALUE}) {
            refused(
                    FrameTypes.SWEEP,
                    new FrameWriteBuffer().flag(false).u16(1).id(ID).i64(number));
            refused(
                    FrameTypes.COMPARE,
                    new FrameWriteBuffer()
                            .u16(1)
                            .id(ID)
                            .id(ID)
                            .i64(number)
                            .flag(true)
                            .u8(3));
            refused(FrameTypes.STORE, entry(StoreEntry.file(ID, number, 1, 3)));
            refused(FrameTypes.STORE, entry(StoreEntry.file(ID, 1, number, 3)));
            refused(FrameTypes.FETCH, new FrameWriteBuffer().id(ID).i64(number));
            refused(FrameTypes.PUT, new FrameWriteBuffer().id(ID).i64(number).u8(3));
            refused(
                    FrameTypes.PRESENCE,
                    new FrameWriteBuffer().text("a:1").i64(number).u8(0));
            assertThatThrownBy(() -> Presence.Heard.read(new FrameReadBuffer(
                            new FrameWriteBuffer().i64(number).u16(0).bytes())))
                    .isInstanceOf(BadFrame.class);
        }
        refused(FrameTypes.SWEEP, new FrameWriteBuffer().flag(false).u16(401));
        refused(FrameTypes.STORE, entry(StoreEntry.file(ID, 1, 1, 17)));
        refused(FrameTypes.STORE, entry(StoreEntry.file(ID, 1, 1, 0)));
    }

    @Test
    void anAddressIsAHostAndAPortAndNothingElse() {
        List<String> bad = List.of(
                "",
                "a",
                ":1",
                "a:",
                "a:0",
                "a:65536",
                "a:+1",
                "a:01",
                "a b:1",
                "a\r:1",
                "a\n:1",
                "a:1\n",
                "a\u0000:1",
                "\u001b[2J:1",
                "\u00e4:1",
                "a/b:1",
                "[a]:1",
                "x".repeat(99) + ":1",
                "x".repeat(60_000) + ":1");
        for (String address : bad) {
            refused(
                    FrameTypes.PRESENCE,
                    new FrameWriteBuffer().text(address).i64(1).u8(0));
            refused(FrameTypes.REACH, new FrameWriteBuffer().text(address));
            refused(FrameTypes.FORGET, new FrameWriteBuffer().text(address));
            if (!address.isEmpty()) {
                byte[] member =
                        new FrameWriteBuffer().member(new Member(ID, address)).bytes();
                assertThatThrownBy(() -> new FrameReadBuffer(member).member()).isInstanceOf(BadFrame.class);
            }
        }
    }

    @Test
    void aNameHasBetweenOneAndAThousandBytes() {
        for (String name : List.of("", "n".repeat(1_001))) {
            refused(FrameTypes.NAME, new FrameWriteBuffer().text(name).id(ID).u8(3));
            refused(FrameTypes.NAMED, new FrameWriteBuffer().text(name));
        }
        refused(FrameTypes.STORE, entry(StoreEntry.name("n".repeat(1_001), ID, 1, 3)));
        refused(FrameTypes.STORE, entry(new StoreEntry(FILE.key(), "", Id.hashOf("x"), 1, true, 1, 3)));
        refused(FrameTypes.STORE, entry(new StoreEntry(NAME.key(), "m", ID, 1, true, 0, 3)));
        refused(FrameTypes.STORE, entry(new StoreEntry(NAME.key(), "n", ID, 1, true, 5, 3)));
    }
}
