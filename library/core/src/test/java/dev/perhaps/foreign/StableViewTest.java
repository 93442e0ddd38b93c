package dev.perhaps.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A view has the content of the moment when it was made, whatever changes while it is written. */
class StableViewTest {
    private static final int LARGE = 64 << 20;

    /** A structure of several pieces. */
    private interface Subject {
        /** Changes it somewhere. */
        void change(Random random);

        /** Changes much of it at once. */
        void changeMuch();

        void writeTo(OutputStream out) throws IOException;

        StableView view(long maxBytes);
    }

    private static byte[] item(Random random) {
        return Long.toString(random.nextLong()).getBytes(StandardCharsets.US_ASCII);
    }

    private static Subject bloom() {
        RedisBloom filter = RedisBloom.expecting(1_000_000).build();
        return new Subject() {
            @Override
            public void change(Random random) {
                filter.add(item(random));
            }

            @Override
            public void changeMuch() {
                assertThat(filter.load(13, new byte[600_000])).isEqualTo(RedisBloom.Load.LOADED);
            }

            @Override
            public void writeTo(OutputStream out) throws IOException {
                filter.writeTo(out);
            }

            @Override
            public StableView view(long maxBytes) {
                return filter.view(maxBytes);
            }
        };
    }

    private static Subject growing() {
        RedisBloom filter = RedisBloom.expecting(20_000).build();
        return new Subject() {
            @Override
            public void change(Random random) {
                filter.add(item(random));
            }

            @Override
            public void changeMuch() {
                Random random = new Random(5);
                for (int i = 0; i < 100_000; i++) {
                    filter.add(item(random));
                }
            }

            @Override
            public void writeTo(OutputStream out) throws IOException {
                filter.writeTo(out);
            }

            @Override
            public StableView view(long maxBytes) {
                return filter.view(maxBytes);
            }
        };
    }

    private static Subject cuckoo() {
        RedisCuckoo filter = RedisCuckoo.expecting(1 << 20).bucketSize(3).build();
        return new Subject() {
            @Override
            public void change(Random random) {
                byte[] item = item(random);
                assertThat(filter.add(item, 4, LARGE)).isNotNull();
                if (random.nextInt(3) == 0) {
                    assertThat(filter.remove(item)).isTrue();
                }
            }

            @Override
            public void changeMuch() {
                assertThat(filter.load(600_001, new byte[300_000])).isEqualTo(RedisCuckoo.Load.LOADED);
            }

            @Override
            public void writeTo(OutputStream out) throws IOException {
                filter.writeTo(out);
            }

            @Override
            public StableView view(long maxBytes) {
                return filter.view(maxBytes);
            }
        };
    }

    private static Subject counts(int cellBytes) {
        // A number of bytes that is not a multiple of 8.
        RedisCountMin sketch = RedisCountMin.of(199_999, 5, cellBytes);
        return new Subject() {
            @Override
            public void change(Random random) {
                assertThat(sketch.add(item(random), 1)).isPositive();
            }

            @Override
            public void changeMuch() {
                assertThat(sketch.merge(new RedisCountMin[] {sketch}, new long[] {2}))
                        .isTrue();
            }

            @Override
            public void writeTo(OutputStream out) throws IOException {
                sketch.writeTo(out);
            }

            @Override
            public StableView view(long maxBytes) {
                return sketch.view(maxBytes);
            }
        };
    }

    static Stream<Subject> subjects() {
        return Stream.of(bloom(), growing(), cuckoo(), counts(1), counts(4));
    }

    private static byte[] bytes(Subject subject) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        subject.writeTo(out);
        return out.toByteArray();
    }

    @CanIgnoreReturnValue
    private static Subject filled(Subject subject) {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            subject.change(random);
        }
        return subject;
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void writesWhatWasThereWhileItChangesBetweenThePieces(Subject subject) throws IOException {
        filled(subject);
        for (int changes : new int[] {0, 10, 3_000, 30_000}) {
            Random random = new Random(changes);
            byte[] before = bytes(subject);
            ByteArrayOutputStream written = new ByteArrayOutputStream();
            try (StableView view = subject.view(LARGE)) {
                assertThat(view.fileBytes()).isEqualTo(before.length);
                for (int i = 0; i < changes; i++) {
                    subject.change(random);
                }
                view.writeTo(new OutputStream() {
                    @Override
                    public void write(int b) {
                        throw new UnsupportedOperationException("one byte at a time");
                    }

                    @Override
                    public void write(byte[] some, int from, int length) {
                        written.write(some, from, length);
                        for (int i = 0; i < changes; i++) {
                            subject.change(random);
                        }
                    }
                });
            }
            assertThat(written.toByteArray()).isEqualTo(before);
            assertThat(bytes(subject).length).isGreaterThanOrEqualTo(before.length);
        }
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void writesWhatWasThereBeforeMuchOfItChanged(Subject subject) throws IOException {
        filled(subject);
        byte[] before = bytes(subject);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (StableView view = subject.view(LARGE)) {
            subject.changeMuch();
            view.writeTo(written);
        }
        assertThat(written.toByteArray()).isEqualTo(before);
        assertThat(bytes(subject)).isNotEqualTo(before);
        subject.changeMuch();
    }

    /** A view that was closed kept the arrays, also those that the structure had dropped, and noted changes. */
    @ParameterizedTest
    @MethodSource("subjects")
    void aClosedViewHoldsNothing(Subject subject) throws IOException {
        filled(subject);
        StableView view = subject.view(LARGE);
        assertThat(view.fileBytes()).isEqualTo(bytes(subject).length);
        view.close();
        assertThat(view.fileBytes()).isLessThan(4_096);
        subject.changeMuch();
        assertThat(view.fileBytes()).isLessThan(4_096);
    }

    @Test
    @Timeout(60)
    void whoChangesMoreThanTheMemoryHoldsWaitsUntilSomeIsWritten() throws Exception {
        Subject subject = filled(bloom());
        byte[] before = bytes(subject);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        Thread changing;
        try (StableView view = subject.view(0)) {
            changing = new Thread(() -> {
                Random random = new Random(3);
                for (int i = 0; i < 300_000; i++) {
                    subject.change(random);
                }
            });
            changing.start();
            while (changing.getState() != Thread.State.WAITING) {
                assertThat(changing.isAlive()).isTrue();
                Thread.onSpinWait();
            }
            view.writeTo(written);
        }
        changing.join();
        assertThat(written.toByteArray()).isEqualTo(before);
    }

    @Test
    @Timeout(60)
    void aViewThatIsClosedHoldsNobodyUp() throws Exception {
        Subject subject = filled(bloom());
        StableView view = subject.view(0);
        Thread changing = new Thread(() -> {
            Random random = new Random(3);
            for (int i = 0; i < 300_000; i++) {
                subject.change(random);
            }
        });
        changing.start();
        while (changing.getState() != Thread.State.WAITING) {
            assertThat(changing.isAlive()).isTrue();
            Thread.onSpinWait();
        }
        view.close();
        changing.join();
        assertThat(changing.isAlive()).isFalse();
    }
}
