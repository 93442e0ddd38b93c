package dev.perhaps.chord.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.Message;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Messages as bytes, and bytes that are none. */
class EnvelopeTest {
    private static final Member A = Member.at("127.0.0.1:7001", 0);
    private static final Member B = Member.at("[::1]:7002", 3);
    private static final Member NOBODY = new Member(Id.hashOf("nobody"), "");
    private static final Id KEY = Id.hashOf("key");

    private static final List<Message> MESSAGES = List.of(
            new Message.Ask(),
            new Message.Neighbours(A, List.of(B, A, NOBODY), B),
            new Message.NotMember(),
            new Message.Notify(),
            new Message.Leaving(B),
            new Message.Find(KEY, List.of(), false),
            new Message.Find(KEY, List.of(A, B), true),
            new Message.Referral(B, true),
            new Message.Ownership(A, true),
            new Message.Ownership(B, false));

    @Test
    void everyMessageComesBackAsItWas() throws Exception {
        for (Message message : MESSAGES) {
            Envelope envelope = new Envelope(KEY, A, Long.MAX_VALUE, message);
            assertThat(Envelope.read(envelope.frame())).isEqualTo(envelope);
        }
    }

    @Test
    void everyPartOfAMessageIsRefusedAndEverythingBehindIt() {
        for (Message message : MESSAGES) {
            byte[] whole = new Envelope(KEY, A, 7, message).frame().body();
            for (int length = 0; length < whole.length; length++) {
                WireFrame part = new WireFrame(WireFrame.MESSAGE, Arrays.copyOf(whole, length));
                assertThatThrownBy(() -> Envelope.read(part)).isInstanceOf(BadFrame.class);
            }
            WireFrame longer = new WireFrame(WireFrame.MESSAGE, Arrays.copyOf(whole, whole.length + 1));
            assertThatThrownBy(() -> Envelope.read(longer)).isInstanceOf(BadFrame.class);
        }
    }

    @Test
    void changedBytesGiveAMessageOrAreRefused() {
        Random random = new Random(5);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            Message message = MESSAGES.get(i % MESSAGES.size());
            byte[] bytes = new Envelope(KEY, A, 7, message).frame().body();
            for (int j = 0; j <= i % 3; j++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(Envelope.read(new WireFrame(WireFrame.MESSAGE, bytes)))
                        .isNotNull();
            } catch (BadFrame e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(1_000, 19_000);
    }
}
