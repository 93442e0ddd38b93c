package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.Deadline;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The hosts that should have a key, nearest first, and what each of them has.
 *
 * @param newest the newest entry that any of them has
 */
public record ReplicaMap(Optional<StoreEntry> newest, List<Host> hosts) {
    /**
     * One of them.
     *
     * @param at where it is
     * @param reached false if it did not answer; then nothing is known of what it has
     * @param entry what it has
     */
    public record Host(HostPort at, boolean reached, Optional<StoreEntry> entry) {
        /** Where it is, as text. */
        public String address() {
            return at.toString();
        }
    }

    static ReplicaMap of(Id key, Finder finder) throws IOException {
        try (RequestPeers peers = finder.peers()) {
            ReplicaMap usual = of(key, CallerService.USUAL_REPLICAS, finder, peers);
            int replicas = usual.newest.map(StoreEntry::replicas).orElse(CallerService.USUAL_REPLICAS);
            return replicas == CallerService.USUAL_REPLICAS ? usual : of(key, replicas, finder, peers);
        }
    }

    private static ReplicaMap of(Id key, int replicas, Finder finder, RequestPeers peers) throws IOException {
        List<Host> hosts = new ArrayList<>();
        List<Finder.Holder> holders = new ArrayList<>();
        for (HostPort address :
                finder.hosts(key, replicas, Set.of(), Deadline.none()).addresses()) {
            Optional<RemotePeer.Looked> looked = finder.look(address, key, peers, Deadline.none());
            Optional<StoreEntry> entry = looked.flatMap(RemotePeer.Looked::entry);
            hosts.add(new Host(address, looked.isPresent(), entry));
            entry.ifPresent(present -> holders.add(new Finder.Holder(address, present)));
        }
        return new ReplicaMap(Finder.Found.among(holders).entry(), List.copyOf(hosts));
    }
}
