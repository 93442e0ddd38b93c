package dev.perhaps.chord.wire;

import dev.perhaps.chord.cluster.HostPort;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** Asks all peers: a first one, those that it knows, those that they know, and so on; many in parallel. */
public final class PeerSurvey {
    private static final int MAX_HOSTS = 10_000;
    private static final int AT_ONCE = 16;

    private PeerSurvey() {}

    /** Takes the response of one peer, and returns the peers that it knows. */
    @FunctionalInterface
    public interface Visitor<T> {
        Set<HostPort> visit(T said) throws IOException;
    }

    /**
     * Walks from an address.
     *
     * @param deadline when it fails, if there are still some to be asked
     * @param ask asks an address, on another thread, and does not fail
     */
    public static <T> void from(HostPort start, Deadline deadline, Function<HostPort, T> ask, Visitor<T> visitor)
            throws IOException {
        Set<HostPort> seen = new HashSet<>(Set.of(start));
        List<HostPort> next = List.of(start);
        ExecutorService askers = Executors.newFixedThreadPool(AT_ONCE);
        try {
            while (!next.isEmpty()) {
                List<CompletableFuture<T>> asked = next.stream()
                        .map(address -> CompletableFuture.supplyAsync(() -> ask.apply(address), askers))
                        .toList();
                List<HostPort> met = new ArrayList<>();
                for (CompletableFuture<T> each : asked) {
                    for (HostPort address : visitor.visit(Blocking.on(each, deadline))) {
                        if (seen.size() < MAX_HOSTS && seen.add(address)) {
                            met.add(address);
                        }
                    }
                }
                next = met;
            }
        } finally {
            askers.shutdownNow();
        }
    }
}
