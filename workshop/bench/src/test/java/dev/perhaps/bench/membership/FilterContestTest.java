package dev.perhaps.bench.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.Clock;
import dev.perhaps.bench.Entrant;
import dev.perhaps.bench.FreshClass;
import dev.perhaps.bench.Keys;
import dev.perhaps.bench.Measure;
import dev.perhaps.bench.Report;
import dev.perhaps.bench.Results;
import dev.perhaps.bench.Rounds;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class FilterContestTest {
    private static final int ITEMS = 20_000;
    private static final double ERROR = 0.01;

    /** cuckoofilter4j is now and then full before the items that it was planned for: that ended the run. */
    @Test
    void aFilterThatIsFullIsARowThatSaysSo() {
        BenchProgress silent =
                new BenchProgress(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        FreshClass.Maker<long[]> cuckoo = FreshClass.of(PeerLoops.CuckooFilter4j.class, ERROR);
        Entrant<long[]> tooSmall = Entrant.of("cuckoofilter4j", items -> cuckoo.make(items / 4));
        Entrant<long[]> guava = Entrant.of("Guava", FreshClass.of(PeerLoops.Guava.class, ERROR));
        List<Entrant<long[]>> rows = List.of(tooSmall, guava);
        Results results = new Results();

        new FilterContest<>("longs", rows, Keys.longs(ITEMS, ITEMS))
                .run(new Rounds(2, 1, Clock.WALL, silent), silent, results);

        assertThat(results.rows()).containsExactly("Guava");
        assertThat(results.failure("cuckoofilter4j"))
                .hasValueSatisfying(reason -> assertThat(reason).matches("full after \\d+ items"));
        Report report = new Report(results);
        new MembershipTables(results, report).figures(rows);
        assertThat(report.timed("Guava", Measure.HIT)).isTrue();
        assertThat(report.text()).containsPattern("cuckoofilter4j +full after \\d+ items");
    }

    @Test
    void aFilterThatIsFullWhileItsLoopsAreWarmedUpIsLeftOut() {
        BenchProgress silent =
                new BenchProgress(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        FreshClass.Maker<long[]> cuckoo = FreshClass.of(PeerLoops.CuckooFilter4j.class, ERROR);
        Entrant<long[]> tooSmall = Entrant.of("cuckoofilter4j", items -> cuckoo.make(items / 4));
        Results results = new Results();

        FilterContest<long[]> contest = new FilterContest<>("longs", List.of(tooSmall), Keys.longs(ITEMS, ITEMS));
        contest.warmUp(Keys.longs(ITEMS, ITEMS), silent, results);
        contest.run(new Rounds(1, 1, Clock.WALL, silent), silent, results);

        assertThat(results.failure("cuckoofilter4j")).isPresent();
        assertThat(results.rows()).isEmpty();
    }
}
