package dev.perhaps.web.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MetricsTest {
    private final Metrics metrics = new Metrics();

    @Test
    void writesFamiliesAndSeriesInTheOrderOfRegistration() {
        Metrics.Counter hits = metrics.counter("answers_total", "Answers.", Metrics.label("from", "hit"));
        metrics.gauge("pages", "Pages.", () -> 7);
        Metrics.Counter misses = metrics.counter("answers_total", "Answers.", Metrics.label("from", "miss"));
        hits.increment();
        hits.add(4);
        assertThat(metrics.text()).isEqualTo("""
                # HELP answers_total Answers.
                # TYPE answers_total counter
                answers_total{from="hit"} 5
                answers_total{from="miss"} 0
                # HELP pages Pages.
                # TYPE pages gauge
                pages 7
                """);
        assertThat(hits.sum()).isEqualTo(5);
        assertThat(misses.sum()).isZero();
    }

    @Test
    void escapesHelpAndLabels() {
        metrics.gauge(
                "a", "One \\ \"two\"\nthree.", () -> 1, Metrics.label("n", "x\\y\"z\nw"), Metrics.label("m", "ä"));
        assertThat(metrics.text())
                .isEqualTo("# HELP a One \\\\ \"two\"\\nthree.\n# TYPE a gauge\na{n=\"x\\\\y\\\"z\\nw\",m=\"ä\"} 1\n");
    }

    @Test
    void writesWholeNumbersWithoutAFractionAndKnowsInfinity() {
        List<Double> values = List.of(
                0.0,
                -3.0,
                0.25,
                9_007_199_254_740_992.0,
                1e300,
                Double.POSITIVE_INFINITY,
                Double.NEGATIVE_INFINITY,
                Double.NaN);
        for (int i = 0; i < values.size(); i++) {
            double value = values.get(i);
            metrics.gauge("v" + i, "Value.", () -> value);
        }
        assertThat(metrics.text().lines().filter(line -> line.startsWith("v")))
                .containsExactly(
                        "v0 0",
                        "v1 -3",
                        "v2 0.25",
                        "v3 9007199254740992",
                        "v4 1.0E300",
                        "v5 +Inf",
                        "v6 -Inf",
                        "v7 NaN");
    }

    @Test
    void takesOneSnapshotOfAGroupPerText() {
        AtomicInteger taken = new AtomicInteger();
        metrics.group(taken::incrementAndGet).gauge("a", "A.", now -> now).counter("b_total", "B.", now -> 10 * now);
        assertThat(metrics.text()).contains("\na 1\n").contains("\nb_total 10\n");
        assertThat(metrics.text()).contains("\na 2\n").contains("\nb_total 20\n");
        assertThat(taken).hasValue(2);
    }

    @Test
    void aClosedGroupIsGoneAndMayComeBack() {
        metrics.gauge("shared", "Shared.", () -> 1, Metrics.label("of", "x"));
        for (int round = 0; round < 3; round++) {
            try (Metrics.Group<String> group = metrics.group(() -> "now")) {
                group.gauge("alone", "Alone.", String::length)
                        .gauge("shared", "Shared.", String::length, Metrics.label("of", "y"));
                assertThat(metrics.text()).contains("\nalone 3\n").contains("shared{of=\"y\"} 3\n");
            }
            assertThat(metrics.text()).isEqualTo("# HELP shared Shared.\n# TYPE shared gauge\nshared{of=\"x\"} 1\n");
        }
    }

    @Test
    void saysWhyASnapshotCannotBeTaken() {
        metrics.<String>group(() -> {
                    throw new IOException("the disk is gone");
                })
                .gauge("a", "A.", String::length);
        assertThatThrownBy(metrics::text)
                .isInstanceOf(UncheckedIOException.class)
                .hasMessage("the disk is gone");
    }

    @Test
    void refusesNamesThatCannotBeRead() {
        for (String name : List.of("", "1a", "a-b", "a b", "ä", "a\n")) {
            assertThatThrownBy(() -> metrics.gauge(name, "Help.", () -> 1))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageEndingWith("got '" + name + "'");
        }
        for (String name : List.of("", "1a", "a-b", "__a", "a:b")) {
            assertThatThrownBy(() -> Metrics.label(name, "value"))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> metrics.counter("hits", "Hits."))
                .hasMessage("the name of a counter ends in _total, got 'hits'");
        assertThatThrownBy(() -> metrics.gauge("a", "A.", () -> 1, Metrics.label("x", "1"), Metrics.label("x", "2")))
                .hasMessage("label x is given twice");
        assertThat(metrics.text()).isEmpty();
    }

    @Test
    void refusesTwoMeaningsOfOneName() {
        metrics.gauge("a", "A.", () -> 1);
        assertThatThrownBy(() -> metrics.gauge("a", "A.", () -> 2)).hasMessageContaining("already there");
        assertThatThrownBy(() -> metrics.gauge("a", "B.", () -> 2, Metrics.label("x", "1")))
                .hasMessage("a is already a gauge 'A.', got a gauge 'B.'");
        assertThat(metrics.text()).endsWith("\na 1\n");
    }

    @Test
    void hasALimit() {
        Metrics.Group<String> group = metrics.group(() -> "");
        for (int i = 0; i < 10_000; i++) {
            group.gauge("a", "A.", String::length, Metrics.label("i", String.valueOf(i)));
        }
        assertThatThrownBy(() -> metrics.gauge("b", "B.", () -> 1)).isInstanceOf(IllegalStateException.class);
        group.close();
        metrics.gauge("b", "B.", () -> 1);
        assertThat(metrics.text()).contains("\nb 1\n");
    }

    @Test
    void losesNothingWhenManyThreadsCount() throws Exception {
        Metrics.Counter counter = metrics.counter("a_total", "A.");
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            int number = t;
            threads.add(new Thread(() -> {
                for (int i = 0; i < 10_000; i++) {
                    counter.increment();
                    if (i % 1_000 == 0) {
                        metrics.gauge("b", "B.", () -> 1, Metrics.label("i", number + "-" + i));
                        assertThat(metrics.text()).contains("a_total");
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(metrics.text()).contains("\na_total 80000\n").contains("b{i=\"7-9000\"} 1\n");
    }
}
