package dev.perhaps.chord.net;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Asks all peers how they are: those that this one knows, those that they know, and so on. */
final class RingWalk implements Desk.Clerk {
    private static final int MOST_HOSTS = 10_000;
    private static final int AT_ONCE = 16;
    private static final int DEADLINE_MILLIS = 2_000;

    private final PeerHost host;
    private final Cluster cluster;

    RingWalk(PeerHost host, Cluster cluster) {
        this.host = host;
        this.cluster = cluster;
    }

    @Override
    public void answer(Frame question, Line line) throws IOException {
        HostStatus own = host.status();
        Set<String> seen = new HashSet<>(Set.of(own.address()));
        Deque<String> next = new ArrayDeque<>();
        meet(own, seen, next);
        line.send(own.frame());
        ExecutorService askers = Executors.newFixedThreadPool(AT_ONCE);
        try {
            while (!next.isEmpty()) {
                Map<String, CompletableFuture<HostStatus>> asked = new HashMap<>();
                for (String address : new ArrayList<>(next)) {
                    asked.put(address, CompletableFuture.supplyAsync(() -> ask(address), askers));
                }
                next.clear();
                for (Map.Entry<String, CompletableFuture<HostStatus>> each : asked.entrySet()) {
                    HostStatus status = Waiting.on(each.getValue());
                    if (status.nodes().isEmpty()) {
                        line.send(new BodyWriter().text(each.getKey()).frame(Desk.UNREACHED));
                    } else {
                        meet(status, seen, next);
                        line.send(status.frame());
                    }
                }
            }
        } finally {
            askers.shutdownNow();
        }
        line.send(new BodyWriter().frame(Desk.END));
    }

    private static void meet(HostStatus status, Set<String> seen, Deque<String> next) {
        for (String address : status.addresses()) {
            if (seen.size() < MOST_HOSTS && seen.add(address)) {
                next.add(address);
            }
        }
    }

    /** One without nodes if it cannot be reached. */
    private HostStatus ask(String address) {
        try {
            return HostStatus.ask(HostPort.of(address), cluster, DEADLINE_MILLIS);
        } catch (IOException | IllegalArgumentException e) {
            return new HostStatus(address, List.of(), List.of(), new TreeMap<>());
        }
    }
}
