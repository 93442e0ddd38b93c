package dev.perhaps.proxy.sharing;

import dev.perhaps.guard.cost.MeanCost;
import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import dev.perhaps.proxy.LookupOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * All siblings of a cache: for a page that is not here, which of those that perhaps have it is to be asked first, if any. Safe
 * for any number of threads.
 */
public final class Siblings {
    /*
     * Of the siblings that are worth asking, the one with the lowest expected cost is asked, and one only: what it does not
     * have is fetched from the origin. Siblings whose expected costs are within a tenth of the lowest count as equal, and
     * of these the page's own is taken (rendezvous hashing [1]: the highest hash of page and name), so that pages that
     * several have are spread over them and each page is asked of the same one. A lookup that explores comes first: it
     * is rare, and a sibling that seems expensive would never be asked otherwise.
     *
     * Probes. What all siblings' guards spend on finding out that they were wrong is kept within the limits of one, divided
     * among them; and halved, for a group of pages at one of many siblings is asked so rarely that what a probe costs there is
     * known badly, and taken for too little.
     *
     * [1] Thaler and Ravishankar, "Using name-based mappings to increase hit rates" (1998).
     */
    private static final double AS_GOOD = 1.1;

    private final Terms terms;
    private final MeanCost originCost = new MeanCost();
    private final CopyOnWriteArrayList<SiblingView> views = new CopyOnWriteArrayList<>();

    public Siblings(Terms terms) {
        this.terms = terms;
    }

    /** Adds a sibling. Returns the existing one if there is one of this name. */
    public synchronized SiblingView add(String name) {
        for (SiblingView view : views) {
            if (view.name().equals(name)) {
                return view;
            }
        }
        SiblingView view = new SiblingView(
                name, terms, originCost, this::sharers, Key.strings().hash(name));
        views.add(view);
        return view;
    }

    /** Returns by how many the cost limit of probes is divided. */
    private int sharers() {
        return 2 * views.size();
    }

    /** Removes a sibling and what was measured of it. */
    public void remove(String name) {
        views.removeIf(view -> view.name().equals(name));
    }

    public List<SiblingView> all() {
        return List.copyOf(views);
    }

    /** Adds the cost of a page that the origin sent. */
    public void origin(double cost) {
        originCost.add(cost);
    }

    /** Returns the recent cost of the origin; 0 before the first request to it. */
    public double originCost() {
        return originCost.late();
    }

    /** Returns a lookup at the sibling to ask first for a page; null for the origin. */
    public SiblingView.@Nullable Lookup ask(String page) {
        SiblingView.Asked asked = SiblingView.Asked.of(terms, page);
        List<SiblingView.Lookup> worth = new ArrayList<>();
        for (SiblingView view : views) {
            SiblingView.Lookup lookup = view.ask(asked);
            if (lookup != null) {
                worth.add(lookup);
            }
        }
        if (worth.size() < 2) {
            return worth.isEmpty() ? null : worth.get(0);
        }
        SiblingView.Lookup chosen = cheapest(worth, asked.hash());
        for (SiblingView.Lookup lookup : worth) {
            if (lookup != chosen) {
                lookup.end(new LookupOutcome.Withdrawal());
            }
        }
        return chosen;
    }

    private static SiblingView.Lookup cheapest(List<SiblingView.Lookup> worth, long hash) {
        double[] costs = new double[worth.size()];
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < costs.length; i++) {
            if (worth.get(i).explores()) {
                return worth.get(i);
            }
            costs[i] = worth.get(i).expectedCost();
            least = Math.min(least, costs[i]);
        }
        int chosen = -1;
        long highest = Long.MIN_VALUE;
        for (int i = 0; i < costs.length; i++) {
            long weight =
                    Mix.finish(hash ^ Key.strings().hash(worth.get(i).sibling().name()));
            if (costs[i] <= least * AS_GOOD && (chosen < 0 || weight > highest)) {
                chosen = i;
                highest = weight;
            }
        }
        return worth.get(chosen);
    }
}
