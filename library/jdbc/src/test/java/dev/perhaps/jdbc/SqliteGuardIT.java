package dev.perhaps.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.guard.Guard;
import dev.perhaps.guard.GuardReport;
import dev.perhaps.membership.BloomFilter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The guard before a dictionary on disk, read through a cache of ten pages. Pages are counted by the kernel (BytesRead).
 */
@SuppressWarnings("CheckReturnValue") // what queries cost is counted, not what they return
class SqliteGuardIT {
    private static final int WORDS = 100_000;
    private static final int LOOKUPS = 10_000;

    @TempDir
    private static Path folder;

    private static DataSource source;
    private static BloomFilter<String> filter;

    @BeforeAll
    static void fill() throws Exception {
        source = SqliteFile.at(folder.resolve("dictionary.db"));
        SqliteFile.fill(source, WORDS);
        filter = BloomFilter.expecting(WORDS).falsePositives(0.01).build();
        SqliteFile.dictionary(source).keys().replay(filter::addHashes);
    }

    private static String[] asked(Phases phases) {
        return Arrays.stream(phases.numbers(LOOKUPS, WORDS, 11))
                .mapToObj(number -> "word " + number)
                .toArray(String[]::new);
    }

    static Stream<Phases> phases() {
        return Stream.of(
                Phases.of(0.0), Phases.of(0.1), Phases.of(0.5), Phases.of(0.9), Phases.of(0.02, 0.98, 0.4, 0.05));
    }

    private static boolean isThere(String word) {
        return Integer.parseInt(word.substring("word ".length())) % 2 == 0;
    }

    /** The same words with and without the guard: its clock is the count of bytes read, so it reports its saving in them. */
    @ParameterizedTest
    @MethodSource("phases")
    void savesThePagesItReports(Phases phases) {
        String[] words = asked(phases);
        BytesRead bytes = new BytesRead();
        try (JdbcTable.Session<String, String> table =
                SqliteFile.dictionary(source).session()) {
            long before = bytes.now();
            for (String word : words) {
                table.find(word);
            }
            long pagesWithout = (bytes.now() - before) / SqliteFile.PAGE_BYTES;

            long[] queries = {0};
            Guard<String, String> guard = Guard.plan()
                    .clock(bytes::now)
                    .store(
                            filter,
                            word -> {
                                queries[0]++;
                                return table.find(word);
                            },
                            word -> "all");
            before = bytes.now();
            for (String word : words) {
                assertThat(guard.get(word).isPresent()).isEqualTo(isThere(word));
            }
            long pages = (bytes.now() - before) / SqliteFile.PAGE_BYTES;
            GuardReport report = guard.report();
            double reported = report.saving() / SqliteFile.PAGE_BYTES;
            System.out.printf(
                    "sqlite, %s: %,d queries and %,d pages without, %,d and %,d with the guard; "
                            + "reported %,d queries and %,.0f pages saved%n",
                    phases, LOOKUPS, pagesWithout, queries[0], pages, report.avoided(), reported);
            long avoided = LOOKUPS - queries[0];
            assertThat((double) report.avoided()).isCloseTo(avoided, within(0.1 * avoided));
            assertThat(avoided).isGreaterThan((long) (0.95 * LOOKUPS * phases.absent()));
            assertThat(reported).isCloseTo(pagesWithout - pages, within(0.1 * (pagesWithout - pages)));
        }
    }

    /** Every lookup reads at least a leaf page, whether it finds something or not. */
    @Test
    void countsWhatIsReallyRead() {
        try (JdbcTable.Session<String, String> table =
                SqliteFile.dictionary(source).session()) {
            table.find("word 1");
            BytesRead bytes = new BytesRead();
            long before = bytes.now();
            for (int i = 0; i < 1_000; i++) {
                table.find("word " + (2 * (i * 7_919 % WORDS) + 1));
            }
            assertThat(bytes.now() - before).isBetween(900L * SqliteFile.PAGE_BYTES, 4_000L * SqliteFile.PAGE_BYTES);
        }
    }
}
