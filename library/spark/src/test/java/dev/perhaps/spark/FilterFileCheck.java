package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.key.Key;
import dev.perhaps.membership.BlockedBloom;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A filter of {@code check.items} numbers, 10⁹ by bin/check-spark, is written and has all of them; prints the rate. */
@EnabledIfSystemProperty(named = "check.items", matches = "[0-9]+")
class FilterFileCheck {
    private static final int ASKED = 1_000_000;

    @Test
    void holdsAllNumbersAtItsRate() throws IOException {
        long items = Long.getLong("check.items");
        Path folder = Files.createTempDirectory(Path.of(System.getProperty("check.folder", ".")), "filter");
        Path file = folder.resolve("numbers.filter");
        try {
            long start = System.nanoTime();
            FilterFile.of(
                            TestSession.spark()
                                    .range(0, items, 1, (int) Math.max(8, items / 4_000_000))
                                    .toDF("id"),
                            "id",
                            items)
                    .write(file);
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    Locale.ROOT,
                    "filter of %,d numbers at 1 %%: %,d bytes in %.1f s, %.2f million rows per second, heap up to %,d MB%n",
                    items,
                    Files.size(file),
                    seconds,
                    items / 1e6 / seconds,
                    Runtime.getRuntime().maxMemory() / 1_000_000);
            SplittableRandom random = new SplittableRandom(1);
            long missing = 0;
            long wrong = 0;
            HashFilter.Mapped<Long> filter = BlockedBloom.map(file, Key.longs());
            for (int i = 0; i < ASKED; i++) {
                missing += filter.mightContain(random.nextLong(items)) ? 0 : 1;
                wrong += filter.mightContain(items + random.nextLong(1L << 40)) ? 1 : 0;
            }
            assertThat(missing).as("numbers that are not found").isZero();
            // 1 % of 10⁶: a standard deviation is 0.01 points, plus the spread of one filter.
            assertThat((double) wrong / ASKED).as("false positives").isCloseTo(0.01, within(0.001));
        } finally {
            Files.deleteIfExists(file);
            Files.delete(folder);
        }
    }
}
