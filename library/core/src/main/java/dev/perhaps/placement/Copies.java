package dev.perhaps.placement;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Gathers the nodes for the copies of one key, at most one per host. */
final class Copies<N> {
    private final int wanted;
    private final Function<? super N, ?> host;
    private final List<N> chosen = new ArrayList<>();
    private final Set<Object> hosts = new HashSet<>();

    Copies(int wanted, Function<? super N, ?> host) {
        this.wanted = Nodes.checkedCount(wanted);
        this.host = host;
    }

    /** Takes the node, unless its host has a copy already. */
    void offer(N node) {
        if (hosts.add(host.apply(node))) {
            chosen.add(node);
        }
    }

    boolean isComplete() {
        return chosen.size() == wanted;
    }

    List<N> chosen() {
        return List.copyOf(chosen);
    }
}
