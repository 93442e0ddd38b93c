package dev.perhaps.lab.sharing;

import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.NumberFormats;
import dev.perhaps.lab.Plot;
import dev.perhaps.lab.ResultTable;
import dev.perhaps.lab.sharing.SharedCaches.Counts;
import dev.perhaps.lab.sharing.SharedCaches.Policy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Compares caches that share digests under a guard with caches that do not share, that trust every digest, and that ask
 * all siblings.
 */
public final class CacheSharing implements Experiment {
    /*
     * SharedCaches says what is simulated and what things cost; PageTrace, what is asked for.
     *
     * Published: Fan, Cao, Almeida and Broder, "Summary cache: a scalable wide-area web cache sharing protocol",
     * IEEE/ACM Transactions on Networking 8 (2000): the abstract, and sections V.A (delays), V.D (recommendations) and
     * V.E (scalability). Its traces are of real users of 4 to 16 proxies with caches of 10 % of all that was asked for.
     */
    private static final double MAX_ABOVE = 0.05;
    private static final int REQUESTS = 120_000;

    private record Run(SharingScenario scenario, Policy policy, int seed) {}

    /** All runs of a kind of conditions, played once each. */
    private static final class Played {
        private final Map<Run, Counts> runs = new LinkedHashMap<>();
        private final int seeds;

        Played(int seeds) {
            this.seeds = seeds;
        }

        void want(SharingScenario scenario, Policy... policies) {
            for (Policy policy : policies) {
                for (int seed = 1; seed <= seeds; seed++) {
                    runs.put(new Run(scenario, policy, seed), new Counts());
                }
            }
        }

        void play(Conditions conditions) {
            List<Run> all = new ArrayList<>(runs.keySet());
            List<Counts> counted = conditions.each("runs", all.size(), i -> {
                Run run = all.get(i);
                return SharedCaches.play(run.scenario, run.policy, run.seed);
            });
            for (int i = 0; i < all.size(); i++) {
                runs.put(all.get(i), counted.get(i));
            }
        }

        /** What all seeds counted together. */
        Counts of(SharingScenario scenario, Policy policy) {
            Counts sum = new Counts();
            for (int seed = 1; seed <= seeds; seed++) {
                sum.add(one(scenario, policy, seed));
            }
            return sum;
        }

        private Counts one(SharingScenario scenario, Policy policy, int seed) {
            return Objects.requireNonNull(runs.get(new Run(scenario, policy, seed)), "a run that was wanted");
        }

        /** The guard's cost over the better of no sharing and blind trust, of the seed where that is worst. */
        double worstRatio(SharingScenario scenario) {
            double worst = 0;
            for (int seed = 1; seed <= seeds; seed++) {
                double better = Math.min(
                        one(scenario, Policy.NO_SHARING, seed).costEach(),
                        one(scenario, Policy.ALWAYS_TRUST, seed).costEach());
                worst = Math.max(worst, one(scenario, Policy.GUARD, seed).costEach() / better);
            }
            return worst;
        }
    }

    @Override
    public String name() {
        return "cache-sharing";
    }

    @Override
    public String shows() {
        return "Caches that share digests: hits, messages and costs against no sharing, blind trust and asking everybody.";
    }

    private static List<SharingScenario> hard(SharingScenario usual, boolean quick) {
        List<SharingScenario> some = List.of(
                usual,
                usual.common(t -> 0).named("nothing in common"),
                usual.distance(t -> 25).named("siblings slower than the origin"),
                usual.liars(2).named("two of eight lie"));
        if (quick) {
            return some;
        }
        List<SharingScenario> all = new ArrayList<>(some);
        all.add(usual.common(t -> 0).proxies(32).named("nothing in common, 32 proxies"));
        all.add(usual.common(t -> t < 0.5 ? 0 : 0.9).named("interests meet in the middle"));
        all.add(usual.common(t -> t < 0.5 ? 0.9 : 0).named("interests part in the middle"));
        all.add(usual.common(t -> (int) (t * 10) % 2 == 0 ? 0.9 : 0).named("interests meet and part"));
        all.add(usual.distance(t -> 12).named("siblings as far as the origin"));
        all.add(usual.distance(t -> t < 0.5 ? 1 : 25).named("siblings become slow"));
        all.add(usual.distance(t -> t < 0.5 ? 25 : 1).named("siblings become quick"));
        all.add(usual.digests(8, 0.5).named("stale digests: half is new"));
        all.add(usual.digests(4, 0.5).churning(0.1).named("stale, small, and pages change"));
        all.add(usual.liars(8).named("all lie"));
        all.add(usual.liars(8).distance(t -> 8).named("all lie, far away"));
        return all;
    }

    @Override
    public Findings run(Conditions conditions) {
        boolean quick = conditions.quick();
        SharingScenario usual = SharingScenario.usual("common interests", REQUESTS);
        int[] sizes = quick ? new int[] {8, 16} : new int[] {4, 8, 16, 32};
        double[] thresholds = quick ? new double[] {0.01} : new double[] {0.001, 0.01, 0.1};
        int[] proxies = quick ? new int[] {2, 8} : new int[] {2, 4, 8, 16, 32};
        Map<Integer, SharingScenario> bySize = new LinkedHashMap<>();
        Map<Double, SharingScenario> byThreshold = new LinkedHashMap<>();
        Map<Integer, SharingScenario> byProxies = new LinkedHashMap<>();
        Played played = new Played(conditions.seedsOr(1, 1));
        for (int bits : sizes) {
            bySize.put(bits, usual.digests(bits, 0.01));
        }
        for (double threshold : thresholds) {
            byThreshold.put(threshold, usual.digests(8, threshold));
        }
        for (int n : proxies) {
            byProxies.put(n, usual.digests(16, 0.01).proxies(n));
        }
        bySize.values().forEach(scenario -> {
            played.want(scenario, Policy.ALWAYS_TRUST, Policy.GUARD);
            played.want(scenario.fetching(), Policy.ALWAYS_TRUST, Policy.GUARD);
        });
        byThreshold.values().forEach(scenario -> played.want(scenario, Policy.ALWAYS_TRUST, Policy.GUARD));
        byProxies.values().forEach(scenario -> played.want(scenario, Policy.values()));
        List<SharingScenario> hard = new ArrayList<>();
        hard(usual, quick).forEach(scenario -> {
            hard.add(scenario);
            hard.add(scenario.fetching().named(scenario.name() + ", the sibling fetches"));
        });
        hard.forEach(scenario -> played.want(scenario, Policy.NO_SHARING, Policy.ALWAYS_TRUST, Policy.GUARD));
        played.play(conditions);

        Findings findings = new Findings(this);
        ResultTable ofSizes = digestTable(
                        "sizes", "Digests by number of bits per page, published when 1 % is new; 8 proxies")
                .number("bits", "%d");
        findings.add(columns(ofSizes));
        bySize.forEach((bits, scenario) -> {
            for (SharingScenario variant : List.of(scenario, scenario.fetching())) {
                digestRow(ofSizes, played, variant, variant.fetches() ? "fetches" : "says no", bits);
            }
        });
        ResultTable ofThresholds = digestTable(
                        "intervals", "Digests of 8 bits per page, by the share that is new when published; 8 proxies")
                .number("new, %", "%.1f");
        findings.add(columns(ofThresholds));
        byThreshold.forEach(
                (threshold, scenario) -> digestRow(ofThresholds, played, scenario, "says no", 100 * threshold));
        proxyFindings(findings, played, byProxies);
        hardFindings(findings, played, hard);
        published(findings, played, byProxies);
        return findings;
    }

    private static ResultTable digestTable(String name, String title) {
        return new ResultTable(name, title).text("sibling that has it not");
    }

    private static ResultTable columns(ResultTable table) {
        for (String who : List.of("trust", "guard")) {
            table.number(who + ": hits, %", "%.2f")
                    .number("messages", "%.3f")
                    .number("wasted", "%.4f")
                    .number("digest bytes", "%.0f")
                    .number("cost", "%.3f");
        }
        return table;
    }

    private static void digestRow(
            ResultTable table, Played played, SharingScenario scenario, String variant, Object parameter) {
        List<Object> cells = new ArrayList<>(List.of(variant, parameter));
        for (Policy policy : List.of(Policy.ALWAYS_TRUST, Policy.GUARD)) {
            Counts counts = played.of(scenario, policy);
            cells.add(100 * counts.hitRate());
            cells.add(counts.messages());
            cells.add(counts.wasted());
            cells.add(counts.digestBytesEach());
            cells.add(counts.costEach());
        }
        table.row(cells.toArray());
    }

    private static void proxyFindings(Findings findings, Played played, Map<Integer, SharingScenario> byProxies) {
        ResultTable table =
                new ResultTable("proxies", "Number of proxies; digests of 16 bits per page, published when 1 % is new");
        table.number("proxies", "%d").text("policy").number("hits, %", "%.2f").number("messages", "%.3f");
        table.number("wasted", "%.4f").number("digest bytes", "%.0f").number("cost", "%.3f");
        Plot hits = new Plot("hits", "Hit rate, own cache and siblings")
                .xLog("proxies")
                .y("hits, %");
        Plot messages = new Plot("messages", "Messages between proxies, a request")
                .xLog("proxies")
                .yLog("messages");
        Plot costs = new Plot("costs", "Cost of a request").xLog("proxies").y("cost");
        int colour = 0;
        for (Policy policy : Policy.values()) {
            double[] x = byProxies.keySet().stream().mapToDouble(n -> n).toArray();
            List<Counts> all = byProxies.values().stream()
                    .map(scenario -> played.of(scenario, policy))
                    .toList();
            String label = label(policy);
            hits.line(label, x, all.stream().mapToDouble(c -> 100 * c.hitRate()).toArray(), colour);
            messages.line(label, x, all.stream().mapToDouble(Counts::messages).toArray(), colour);
            costs.line(label, x, all.stream().mapToDouble(Counts::costEach).toArray(), colour);
            colour++;
        }
        byProxies.forEach((n, scenario) -> {
            for (Policy policy : Policy.values()) {
                Counts counts = played.of(scenario, policy);
                table.row(
                        n,
                        label(policy),
                        100 * counts.hitRate(),
                        counts.messages(),
                        counts.wasted(),
                        counts.digestBytesEach(),
                        counts.costEach());
            }
        });
        findings.add(table).add(hits).add(messages).add(costs);
    }

    private static String label(Policy policy) {
        return switch (policy) {
            case NO_SHARING -> "no sharing";
            case ALWAYS_TRUST -> "always trust";
            case GUARD -> "guard";
            case ASK_EVERYBODY -> "ask everybody";
        };
    }

    private static void hardFindings(Findings findings, Played played, List<SharingScenario> hard) {
        ResultTable table = new ResultTable(
                "costs", "Cost of a request after the first fifth; the guard over the better of the two");
        table.text("scenario")
                .number("no sharing", "%.3f")
                .number("always trust", "%.3f")
                .number("guard", "%.3f");
        table.number("ratio, worst seed", "%.4f");
        for (SharingScenario scenario : hard) {
            double ratio = played.worstRatio(scenario);
            table.row(
                    scenario.name(),
                    played.of(scenario, Policy.NO_SHARING).costEach(),
                    played.of(scenario, Policy.ALWAYS_TRUST).costEach(),
                    played.of(scenario, Policy.GUARD).costEach(),
                    ratio);
            findings.expect(Expectation.atMost(
                    scenario.name() + ": cost with the guard over the better of no sharing and blind trust",
                    ratio,
                    1 + MAX_ABOVE,
                    "%.4f"));
        }
        findings.add(table);
    }

    private static void published(Findings findings, Played played, Map<Integer, SharingScenario> byProxies) {
        int most = byProxies.keySet().stream().mapToInt(n -> n).max().orElse(0);
        SharingScenario many = Objects.requireNonNull(byProxies.get(most), "the most proxies");
        Counts everybody = played.of(many, Policy.ASK_EVERYBODY);
        Counts guard = played.of(many, Policy.GUARD);
        Counts trust = played.of(many, Policy.ALWAYS_TRUST);
        double fewer = everybody.messages() / guard.messages();
        double lost = 1 - guard.hitRate() / everybody.hitRate();
        String here = " here, " + most + " proxies";
        ResultTable table = new ResultTable("published", "Beside the figures of Summary Cache (2000)");
        table.text("figure").text("published").text(here.trim() + ", trust").text("guard");
        table.row(
                "messages, times fewer than asking everybody",
                "25 to 60",
                NumberFormats.format("%.1f", everybody.messages() / trust.messages()),
                NumberFormats.format("%.1f", fewer));
        table.row(
                "hit rate lost against asking everybody, of itself",
                "0.1 to 1.7 % by delays of 1 %; under 2 % in all",
                NumberFormats.format("%.2f %%", 100 * (1 - trust.hitRate() / everybody.hitRate())),
                NumberFormats.format("%.2f %%", 100 * lost));
        table.row(
                "false hits, a request",
                "4.7 % with 16 bits and 100 proxies",
                NumberFormats.format("%.2f %%", 100.0 * trust.falseHits / trust.requests),
                NumberFormats.format("%.2f %%", 100.0 * guard.falseHits / guard.requests));
        findings.add(table);
        findings.remark(
                "Published figures are of real traces with caches of many thousand pages; 1 % of 2,048 pages is 20, so"
                        + " digests go out more often here, and a larger part of the messages is digests.");
        findings.expect(Expectation.atLeast(
                "messages, times fewer than asking everybody," + here, fewer, most >= 16 ? 10 : 4, "%.1f"));
        findings.expect(
                Expectation.atMost("hit rate lost against asking everybody, of itself," + here, lost, 0.05, "%.4f"));
    }
}
