package dev.perhaps.proxy.net;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who may use one of a limited number of connections to the origin, and who waits for one, by client address. One address
 * never takes all connections, nor all places in the queue. Confined to an event loop.
 *
 * @param <R> a request, compared by identity
 */
final class ConnectionShares<R> {
    /*
     * An address may take a connection while it holds fewer than are free ("dynamic thresholds", Choudhury and Hahne,
     * https://doi.org/10.1109/90.664262):
     *
     *     attackers    each holds at most      always left for the next address
     *         1              1/2                      1/2
     *         2              1/3                      1/3
     *         n           1/(n + 1)                1/(n + 1)
     *
     * So nothing must be known of how many addresses there will be, an address that has nothing gets a connection while
     * there is one, and free connections are used by any client that wants one. Requests with a body that is not here
     * yet, which last as long as the client likes, may take a connection while their address holds fewer than a third
     * of what is free: so they leave a half of the address's share to its other requests. The queue is divided by the
     * same rule. A connection that becomes free goes to the waiting address that holds the fewest.
     *
     * Behind a load balancer all clients have one address. An operator who allows one address all connections of
     * clients (perAddress is false) has no such division.
     */
    private static final int UPLOAD_PART = 3;

    private final int maxConnections;
    private final int maxWaiting;
    private final boolean perAddress;
    private final Map<Long, Share> shares = new LinkedHashMap<>();
    private int held;
    private int waiting;

    /** What one address has. */
    private final class Share {
        private int held;
        private final Set<R> waiting = new LinkedHashSet<>();
    }

    ConnectionShares(int maxConnections, int maxWaiting, boolean perAddress) {
        this.maxConnections = maxConnections;
        this.maxWaiting = maxWaiting;
        this.perAddress = perAddress;
    }

    /** Returns true if an address may have one connection more. */
    boolean mayTake(long address, boolean upload) {
        Share share = shares.get(address);
        int has = share == null ? 0 : share.held;
        int free = maxConnections - held;
        return free > 0 && (!perAddress || has * (upload ? UPLOAD_PART : 1) < free);
    }

    void take(long address) {
        shares.computeIfAbsent(address, key -> new Share()).held++;
        held++;
    }

    void giveBack(long address) {
        Share share = Objects.requireNonNull(shares.get(address), "this address holds no connection");
        assert share.held > 0;
        share.held--;
        held--;
        forget(address, share);
    }

    /** Puts a request into the queue. Returns false if there is no place for it. */
    boolean await(long address, R request) {
        Share share = shares.get(address);
        int has = share == null ? 0 : share.waiting.size();
        int free = maxWaiting - waiting;
        if (free <= 0 || perAddress && has >= free) {
            return false;
        }
        shares.computeIfAbsent(address, key -> new Share()).waiting.add(request);
        waiting++;
        return true;
    }

    /** Takes a request out of the queue. Returns false if it is not there. */
    @CanIgnoreReturnValue
    boolean withdraw(long address, R request) {
        Share share = shares.get(address);
        if (share == null || !share.waiting.remove(request)) {
            return false;
        }
        waiting--;
        forget(address, share);
        return true;
    }

    /**
     * Takes the next request that may have a connection out of the queue: of the address that holds the fewest, the one that
     * has waited longest.
     */
    @Nullable
    R next(Predicate<R> mayTake) {
        if (waiting == 0 || held >= maxConnections) {
            return null;
        }
        R best = null;
        long bestAddress = 0;
        int fewest = Integer.MAX_VALUE;
        for (Map.Entry<Long, Share> each : shares.entrySet()) {
            Share share = each.getValue();
            if (share.held < fewest) {
                R first = first(share, mayTake);
                if (first != null) {
                    best = first;
                    bestAddress = each.getKey();
                    fewest = share.held;
                }
            }
        }
        if (best != null) {
            withdraw(bestAddress, best);
        }
        return best;
    }

    private @Nullable R first(Share share, Predicate<R> mayTake) {
        for (Iterator<R> each = share.waiting.iterator(); each.hasNext(); ) {
            R request = each.next();
            if (mayTake.test(request)) {
                return request;
            }
        }
        return null;
    }

    private void forget(long address, Share share) {
        if (share.held == 0 && share.waiting.isEmpty()) {
            shares.remove(address);
        }
    }

    /** Number of addresses that hold a connection or wait for one. */
    int addresses() {
        return shares.size();
    }

    int waiting() {
        return waiting;
    }
}
