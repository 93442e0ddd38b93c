package dev.perhaps.guard;

import dev.perhaps.io.Figures;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a guard measured and saved, group by group, the busiest first. A saving is compared with always looking, filter
 * or not; {@code toString()} is a table for people.
 *
 * @param groups at most as many as the guard was allowed, and one for all others
 * @param unit of the costs: "ns", or empty where costs were given
 */
public record GuardReport(List<Group> groups, String unit) {
    /**
     * A share and the interval in which it is with a confidence of 95 %; NaN in [0, 1] if nothing was measured.
     *
     * @param value the share measured recently
     */
    public record Share(double value, double low, double high) {
        @Override
        public String toString() {
            return Double.isNaN(value)
                    ? "unknown"
                    : Figures.percent(value) + " [" + Figures.percent(low) + ", " + Figures.percent(high) + "]";
        }
    }

    /**
     * One group of keys.
     *
     * @param group what the caller's function made of its keys
     * @param action what is done now
     * @param asked how often it was asked
     * @param prior the share of requests for what is there
     * @param falsePositives the share of absent keys to which the filter said "perhaps"
     * @param falsePositivesStated what the filter says of itself, NaN if it says nothing
     * @param costs what asking costs, or null while that is not measured yet
     * @param lookups how often the store or cache was asked, also where it threw
     * @param failed how often it threw: such a lookup is paid for and tells nothing of what is there
     * @param avoided how often it would have been asked, and was not
     * @param missedHits how many of those the cache would have had; estimated from probes and audits, 0 before a store
     * @param missedHitsError its standard error
     * @param saving what was saved against always looking, in the unit of the costs
     * @param savingError its standard error
     * @param audited how many "no"s of the filter were looked up all the same
     * @param wrongNo how many of those were there: above 0 the filter has fallen behind, or is no certain one
     * @param changes how often the action changed
     */
    public record Group(
            Object group,
            Guard.Action action,
            long asked,
            Share prior,
            Share falsePositives,
            double falsePositivesStated,
            @Nullable Costs costs,
            long lookups,
            long failed,
            long avoided,
            double missedHits,
            double missedHitsError,
            double saving,
            double savingError,
            long audited,
            long wrongNo,
            long changes) {}

    public GuardReport {
        groups = groups.stream()
                .sorted(Comparator.comparingLong(Group::asked).reversed())
                .toList();
    }

    /** The measured priors, for a {@code SelectiveCounting.Prior.byGroup}; groups of which nothing is known are left out. */
    public Map<Object, Double> priors() {
        Map<Object, Double> priors = new HashMap<>();
        for (Group each : groups) {
            if (!Double.isNaN(each.prior().value())) {
                priors.put(each.group(), each.prior().value());
            }
        }
        return priors;
    }

    public long asked() {
        return groups.stream().mapToLong(Group::asked).sum();
    }

    /** Lookups made, those that threw among them. */
    public long lookups() {
        return groups.stream().mapToLong(Group::lookups).sum();
    }

    /** Lookups that threw. */
    public long failed() {
        return groups.stream().mapToLong(Group::failed).sum();
    }

    /** Lookups not made that would have been made without the guard. */
    public long avoided() {
        return groups.stream().mapToLong(Group::avoided).sum();
    }

    /** Lookups avoided less origins asked in vain for it: what is saved in queries, cache and origin together. */
    public double queriesSaved() {
        return avoided() - groups.stream().mapToDouble(Group::missedHits).sum();
    }

    /** The standard error of {@link #queriesSaved}. */
    public double queriesSavedError() {
        return rootOfSquares(groups.stream().mapToDouble(Group::missedHitsError).toArray());
    }

    /** What was saved against always looking, in the unit of the costs. */
    public double saving() {
        return groups.stream().mapToDouble(Group::saving).sum();
    }

    /** The standard error of {@link #saving}. */
    public double savingError() {
        return rootOfSquares(groups.stream().mapToDouble(Group::savingError).toArray());
    }

    private static double rootOfSquares(double[] errors) {
        double squares = 0;
        for (double error : errors) {
            squares += error * error;
        }
        return Math.sqrt(squares);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(Figures.count(asked())).append(" requests, ");
        text.append(Figures.count(avoided()))
                .append(" lookups avoided, saving ")
                .append(amount(saving(), savingError()));
        text.append('\n');
        for (Group each : groups) {
            text.append(each.group()).append(": ").append(each.action());
            text.append(", asked ").append(Figures.count(each.asked()));
            text.append(", there ").append(each.prior());
            text.append(", false positives ").append(each.falsePositives());
            if (!Double.isNaN(each.falsePositivesStated())) {
                text.append(" (stated ")
                        .append(Figures.percent(each.falsePositivesStated()))
                        .append(')');
            }
            text.append(each.costs() == null ? ", costs not measured yet" : ", costs " + each.costs());
            text.append(each.costs() == null || unit.isEmpty() ? "" : " " + unit);
            text.append(", avoided ").append(Figures.count(each.avoided()));
            text.append(", saved ").append(amount(each.saving(), each.savingError()));
            if (each.failed() > 0) {
                text.append(", FAILED ").append(Figures.count(each.failed()));
                text.append(" of ").append(Figures.count(each.lookups())).append(" lookups");
            }
            if (each.wrongNo() > 0) {
                text.append(", WRONG NO ").append(Figures.count(each.wrongNo()));
                text.append(" of ").append(Figures.count(each.audited())).append(" audited");
            }
            text.append('\n');
        }
        return text.toString();
    }

    private String amount(double value, double error) {
        return Figures.significant(value) + " ± " + Figures.significant(error) + (unit.isEmpty() ? "" : " " + unit);
    }
}
