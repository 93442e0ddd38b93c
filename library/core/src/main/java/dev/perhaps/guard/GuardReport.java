package dev.perhaps.guard;

import dev.perhaps.io.Figures;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a guard measured and saved, by group, the busiest first. Savings are relative to always looking up; {@code
 * toString()} is a table for people.
 *
 * @param groups at most the planned number of groups, and one for all other keys
 * @param unit the unit of the costs: "ns", or empty if costs were given
 */
public record GuardReport(List<Group> groups, String unit) {
    /**
     * A share with its 95 % confidence interval; NaN in [0, 1] if nothing was measured.
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
     * @param group the group, as the caller's function returned it
     * @param action the current action
     * @param asked the number of requests
     * @param prior the share of requests for keys that are there
     * @param falsePositives the share of absent keys to which the filter said "perhaps"
     * @param falsePositivesStated the false positive rate that the filter states, NaN if it states none
     * @param costs the costs, or null while they are not measured yet
     * @param lookups the number of lookups in the store or cache, including those that threw
     * @param failed the number of lookups that threw: their cost counts, their result does not
     * @param avoided the number of lookups that the guard avoided
     * @param missedHits the number of avoided lookups that would have been hits, estimated from probes and audits; 0
     *     for a store
     * @param missedHitsError its standard error
     * @param saving the saving relative to always looking up, in the unit of the costs
     * @param savingError its standard error
     * @param audited the number of "no"s of the filter that were looked up nevertheless, to check it
     * @param wrongNo the number of audits that found the key: above 0, the filter lacks keys
     * @param changes the number of changes of the action
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

    /**
     * The measured priors, for a {@code SelectiveCounting.Prior.byGroup}; groups of which nothing is known are left
     * out.
     */
    public Map<Object, Double> priors() {
        Map<Object, Double> priors = new HashMap<>();
        for (Group each : groups) {
            if (!Double.isNaN(each.prior().value())) {
                priors.put(each.group(), each.prior().value());
            }
        }
        return priors;
    }

    /** Returns how often the guard was asked, over all groups. */
    public long asked() {
        return groups.stream().mapToLong(Group::asked).sum();
    }

    /** Returns the number of lookups, including those that threw. */
    public long lookups() {
        return groups.stream().mapToLong(Group::lookups).sum();
    }

    /** Returns the number of lookups that threw. */
    public long failed() {
        return groups.stream().mapToLong(Group::failed).sum();
    }

    /** Returns the number of lookups that the guard avoided. */
    public long avoided() {
        return groups.stream().mapToLong(Group::avoided).sum();
    }

    /**
     * Returns the number of avoided lookups minus the additional requests to the origin: the queries saved at cache and
     * origin together.
     */
    public double queriesSaved() {
        return avoided() - groups.stream().mapToDouble(Group::missedHits).sum();
    }

    /** Returns the standard error of {@link #queriesSaved}. */
    public double queriesSavedError() {
        return rootOfSquares(groups.stream().mapToDouble(Group::missedHitsError).toArray());
    }

    /** Returns the saving relative to always looking up, in the unit of the costs. */
    public double saving() {
        return groups.stream().mapToDouble(Group::saving).sum();
    }

    /** Returns the standard error of {@link #saving}. */
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
