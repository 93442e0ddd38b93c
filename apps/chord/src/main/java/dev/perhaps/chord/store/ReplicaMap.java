package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.wire.Deadline;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The hosts that should have a key, nearest first, and what each of them has.
 *
 * @param newest of what they have
 */
public record ReplicaMap(Optional<StoreEntry> newest, List<Host> hosts) {
    /**
     * One of them.
     *
     * @param reached false if it did not answer; then nothing is known of what it has
     */
    public record Host(String address, boolean reached, Optional<StoreEntry> entry) {}

    static ReplicaMap of(Id key, Finder finder, PeerDirectory remotes) throws IOException {
        ReplicaMap usual = of(key, CallerService.USUAL_REPLICAS, finder, remotes);
        int replicas = usual.newest.map(StoreEntry::replicas).orElse(CallerService.USUAL_REPLICAS);
        return replicas == CallerService.USUAL_REPLICAS ? usual : of(key, replicas, finder, remotes);
    }

    private static ReplicaMap of(Id key, int replicas, Finder finder, PeerDirectory remotes) throws IOException {
        List<Host> hosts = new ArrayList<>();
        List<Finder.Holder> holders = new ArrayList<>();
        for (String address :
                finder.hosts(key, replicas, Set.of(), Deadline.none()).addresses()) {
            Host host = ask(address, key, remotes);
            hosts.add(host);
            host.entry.ifPresent(entry -> holders.add(new Finder.Holder(address, entry)));
        }
        return new ReplicaMap(Finder.Found.among(holders).entry(), List.copyOf(hosts));
    }

    private static Host ask(String address, Id key, PeerDirectory remotes) {
        try (RemotePeer remote = remotes.open(address, Deadline.none())) {
            return new Host(address, true, remote.look(key).entry());
        } catch (IOException | IllegalArgumentException e) {
            return new Host(address, false, Optional.empty());
        }
    }
}
