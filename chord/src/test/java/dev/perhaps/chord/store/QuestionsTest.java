package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.net.BadFrame;
import dev.perhaps.chord.net.BodyReader;
import dev.perhaps.chord.net.BodyWriter;
import dev.perhaps.chord.net.Frame;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The questions about files as bytes: what is one, and what must never reach the store. */
class QuestionsTest {
    private static final Id ID = Id.hashOf("file");
    private static final Entry FILE = Entry.file(ID, 1, 70_000, 3);
    private static final Entry NAME = Entry.name("n", ID, 1, 3);

    private static BodyWriter entry(Entry entry) {
        BodyWriter body = new BodyWriter().flag(true);
        entry.write(body);
        return body;
    }

    private static Map<Integer, BodyWriter> good() {
        Map<Integer, BodyWriter> good = new LinkedHashMap<>();
        good.put(Calls.STORE, entry(NAME));
        good.put(Calls.LOOK, new BodyWriter().id(ID));
        good.put(Calls.FETCH, new BodyWriter().id(ID).i64(1));
        good.put(
                Calls.COMPARE,
                new BodyWriter().u16(1).id(ID).id(ID).i64(1).flag(true).u8(3));
        good.put(
                Calls.HASHES, new BodyWriter().id(ID).id(ID).u8(3).u16(1).id(ID).u8(2));
        good.put(Calls.PRESENCE, new BodyWriter().text("a:1").i64(1).u8(2));
        good.put(Calls.SWEEP, new BodyWriter().flag(false).u16(1).id(ID).i64(1));
        good.put(Calls.REACH, new BodyWriter().text("[::1]:7001"));
        good.put(Calls.PUT, new BodyWriter().id(ID).i64(70_000).u8(3));
        good.put(Calls.NAME, new BodyWriter().text("n").id(ID).u8(3));
        good.put(Calls.NAMED, new BodyWriter().text("n"));
        good.put(Calls.FORGET, new BodyWriter().text("host.example:7001"));
        return good;
    }

    @Test
    void everyQuestionIsReadAndNoPartOfOneNorAnythingBehindIt() throws Exception {
        for (Map.Entry<Integer, BodyWriter> each : good().entrySet()) {
            byte[] whole = each.getValue().bytes();
            assertThat(Questions.read(new Frame(each.getKey(), whole))).isNotNull();
            for (int length = 0; length <= whole.length + 1; length++) {
                if (length != whole.length) {
                    refused(each.getKey(), new BodyWriter().raw(Arrays.copyOf(whole, length)));
                }
            }
        }
    }

    @Test
    void changedBytesGiveAQuestionOrAreRefused() {
        Random random = new Random(7);
        List<Map.Entry<Integer, BodyWriter>> all = List.copyOf(good().entrySet());
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = all.get(i % all.size()).getValue().bytes();
            for (int j = 0; j <= i % 3; j++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(Questions.read(new Frame(all.get(i % all.size()).getKey(), bytes)))
                        .isNotNull();
            } catch (BadFrame e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(1_000, 19_000);
    }

    private static void refused(int type, BodyWriter body) {
        assertThatThrownBy(() -> Questions.read(new Frame(type, body.bytes()))).isInstanceOf(BadFrame.class);
    }

    @Test
    void numbersNearOverflowAndBelowZeroAreRefused() {
        for (long number : new long[] {Long.MAX_VALUE, BodyReader.MAX_COUNT + 1, -1, Long.MIN_VALUE}) {
            refused(Calls.SWEEP, new BodyWriter().flag(false).u16(1).id(ID).i64(number));
            refused(
                    Calls.COMPARE,
                    new BodyWriter().u16(1).id(ID).id(ID).i64(number).flag(true).u8(3));
            refused(Calls.STORE, entry(Entry.file(ID, number, 1, 3)));
            refused(Calls.STORE, entry(Entry.file(ID, 1, number, 3)));
            refused(Calls.FETCH, new BodyWriter().id(ID).i64(number));
            refused(Calls.PUT, new BodyWriter().id(ID).i64(number).u8(3));
            refused(Calls.PRESENCE, new BodyWriter().text("a:1").i64(number).u8(0));
            assertThatThrownBy(() -> Presence.Heard.read(
                            new BodyReader(new BodyWriter().i64(number).u16(0).bytes())))
                    .isInstanceOf(BadFrame.class);
        }
        refused(Calls.SWEEP, new BodyWriter().flag(false).u16(401));
        refused(Calls.STORE, entry(Entry.file(ID, 1, 1, 17)));
        refused(Calls.STORE, entry(Entry.file(ID, 1, 1, 0)));
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
            refused(Calls.PRESENCE, new BodyWriter().text(address).i64(1).u8(0));
            refused(Calls.REACH, new BodyWriter().text(address));
            refused(Calls.FORGET, new BodyWriter().text(address));
            if (!address.isEmpty()) {
                byte[] member = new BodyWriter().member(new Member(ID, address)).bytes();
                assertThatThrownBy(() -> new BodyReader(member).member()).isInstanceOf(BadFrame.class);
            }
        }
    }

    @Test
    void aNameHasBetweenOneAndAThousandBytes() {
        for (String name : List.of("", "n".repeat(1_001))) {
            refused(Calls.NAME, new BodyWriter().text(name).id(ID).u8(3));
            refused(Calls.NAMED, new BodyWriter().text(name));
        }
        refused(Calls.STORE, entry(Entry.name("n".repeat(1_001), ID, 1, 3)));
        refused(Calls.STORE, entry(new Entry(FILE.key(), "", Id.hashOf("x"), 1, true, 1, 3)));
        refused(Calls.STORE, entry(new Entry(NAME.key(), "m", ID, 1, true, 0, 3)));
        refused(Calls.STORE, entry(new Entry(NAME.key(), "n", ID, 1, true, 5, 3)));
    }
}
