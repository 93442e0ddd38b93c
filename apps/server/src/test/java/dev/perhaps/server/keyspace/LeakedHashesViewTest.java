package dev.perhaps.server.keyspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a snapshot writes of leaked hashes while they change. */
@Timeout(60)
class LeakedHashesViewTest {
    private static final int MANY = 5_000;

    private final LeakedHashesValue value = new LeakedHashesValue();
    private final SplittableRandom random = new SplittableRandom(11);

    private static byte[] hash(int range, int number) {
        byte[] hash = new byte[LeakedHashesValue.HASH_BYTES];
        hash[0] = (byte) (range >>> 12);
        hash[1] = (byte) (range >>> 4);
        hash[2] = (byte) (range << 4);
        hash[16] = (byte) (number >>> 24);
        hash[17] = (byte) (number >>> 16);
        hash[18] = (byte) (number >>> 8);
        hash[19] = (byte) number;
        return hash;
    }

    private void change() {
        // Some are there already, some ranges are new.
        value.add(hash(random.nextInt(200), random.nextInt(50)), 1 + random.nextInt(3));
    }

    private static byte[] bytes(LeakedHashesValue value) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        value.writeTo(out);
        return out.toByteArray();
    }

    @Test
    void aViewIsTheValueOfTheMomentWhenItWasMade() throws IOException {
        for (int i = 0; i < MANY; i++) {
            change();
        }
        byte[] before = bytes(value);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ValueView view = value.view(Long.MAX_VALUE)) {
            assertThat(view.fileBytes()).isEqualTo(before.length);
            change();
            view.writeTo(new OutputStream() {
                @Override
                public void write(int b) {
                    out.write(b);
                }

                @Override
                public void write(byte[] b, int from, int length) {
                    for (int i = 0; i < 100; i++) {
                        change();
                    }
                    out.write(b, from, length);
                }
            });
        }
        assertThat(out.toByteArray()).isEqualTo(before);
        assertThat(bytes(value)).isNotEqualTo(before);
        ByteArrayOutputStream again = new ByteArrayOutputStream();
        try (ValueView view = value.view(Long.MAX_VALUE)) {
            view.writeTo(again);
        }
        assertThat(again.toByteArray()).isEqualTo(bytes(value));
    }

    /** What only the view needs has a limit: an addition waits, and goes on when the view has written something, or has ended. */
    @Test
    void anAdditionWaitsWhereTheViewKeepsMuch() throws Exception {
        value.add(hash(1, 1), 1);
        value.add(hash(2, 1), 1);
        byte[] before = bytes(value);
        try (ValueView view = value.view(0)) {
            value.add(hash(1, 2), 1);
            Thread second = new Thread(() -> value.add(hash(2, 2), 1));
            second.start();
            while (second.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            view.writeTo(out);
            second.join();
            assertThat(out.toByteArray()).isEqualTo(before);
        }
        assertThat(value.count()).isEqualTo(4);
        ValueView ended = value.view(0);
        value.add(hash(1, 3), 1);
        Thread third = new Thread(() -> value.add(hash(2, 3), 1));
        third.start();
        while (third.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        ended.close();
        third.join();
        assertThat(value.count()).isEqualTo(6);
    }

    /** A range whose old array the view has already, and one that is new, cost the view nothing more. */
    @Test
    @Timeout(60)
    void anAdditionDoesNotWaitWhereTheViewKeepsNothingMore() throws IOException {
        value.add(hash(1, 1), 1);
        byte[] before = bytes(value);
        try (ValueView view = value.view(0)) {
            assertThat(value.add(hash(1, 2), 1)).isOne();
            assertThat(value.add(hash(1, 2), 1)).isEqualTo(2);
            assertThat(value.add(hash(1, 1), 1)).isEqualTo(2);
            assertThat(value.add(hash(7, 1), 1)).isOne();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            view.writeTo(out);
            assertThat(out.toByteArray()).isEqualTo(before);
        }
    }
}
