package dev.perhaps.chord.web;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.chord.Hop;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.LookupTrace;
import dev.perhaps.chord.host.NodeView;
import dev.perhaps.chord.host.PeerHost;
import dev.perhaps.chord.host.RingView;
import dev.perhaps.chord.store.FileStore;
import dev.perhaps.chord.store.ReplicaMap;
import dev.perhaps.chord.store.StoreEntry;
import dev.perhaps.chord.wire.Blocking;
import dev.perhaps.web.admin.JsonText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** What a peer can say, as JSON. Every method may wait for other peers, within limits; any thread may call them. */
final class PeerReport {
    /*
     * To see the ring is to ask every peer of it. However many look, it is walked once in FRESH_NANOS; who comes while
     * it is being walked waits for that.
     */
    static final int MAX_ENTRIES = 1_000;

    private static final long FRESH_NANOS = 500_000_000;
    private static final int RING_MILLIS = 20_000;
    private static final Pattern ID = Pattern.compile("[0-9a-fA-F]{" + Id.BITS / 4 + "}");

    private final PeerHost host;
    private final FileStore store;
    private final Cluster cluster;
    private String ring = "";
    private int peers;
    private long walkedNanos;

    PeerReport(PeerHost host, FileStore store, Cluster cluster) {
        this.host = host;
        this.store = store;
        this.cluster = cluster;
    }

    /** Returns all members of the ring. */
    synchronized String ring() throws IOException {
        if (ring.isEmpty() || System.nanoTime() - walkedNanos > FRESH_NANOS) {
            RingView walked = RingView.ask(HostPort.of(host.address()), cluster, RING_MILLIS);
            ring = RingJson.of(walked);
            peers = walked.load().size() + walked.unreached().size();
            walkedNanos = System.nanoTime();
        }
        return ring;
    }

    /** Returns the number of peers that were asked when the ring was last read. */
    synchronized int peers() {
        return peers;
    }

    /** This peer: its nodes, and the members they know. */
    String peer() throws IOException {
        List<NodeView> nodes = Blocking.on(host.views());
        Map<Id, Map<Integer, Member>> fingers = Blocking.on(host.fingers());
        return JsonText.object(json -> json.field("address", host.address())
                .field("cluster", cluster.name())
                .objects("nodes", nodes, (each, node) -> {
                    member(each, node.self())
                            .field("status", node.status().name().toLowerCase(Locale.ROOT))
                            .object("predecessor", other -> member(other, node.predecessor()))
                            .objects(
                                    "successors",
                                    node.successors().stream()
                                            .filter(successor -> !successor.isNobody())
                                            .toList(),
                                    PeerReport::member)
                            .objects(
                                    "fingers",
                                    fingers.getOrDefault(node.self().id(), Map.of())
                                            .entrySet(),
                                    (finger, entry) ->
                                            member(finger, entry.getValue()).field("k", (long) entry.getKey()));
                }));
    }

    @CanIgnoreReturnValue
    private static JsonText member(JsonText json, Member member) {
        return json.field("id", member.id().toString()).field("address", member.address());
    }

    /**
     * What this peer has, in the order of the circle.
     *
     * @param after where to go on, if not at the beginning
     */
    String files(Optional<Id> after, int most) throws IOException {
        Collection<StoreEntry> all = store.entries();
        List<Range> own = Blocking.on(host.views()).stream()
                .map(node -> new Range(node.predecessor().id(), node.self().id()))
                .toList();
        List<StoreEntry> rest = all.stream()
                .filter(entry -> after.isEmpty() || entry.key().compareTo(after.get()) > 0)
                .sorted((a, b) -> a.key().compareTo(b.key()))
                .limit(most + 1L)
                .toList();
        List<StoreEntry> shown = rest.subList(0, Math.min(most, rest.size()));
        return JsonText.object(json -> {
            totals(json, all);
            json.objects(
                            "entries",
                            shown,
                            (each, entry) -> entry(each, entry)
                                    .field("owned", own.stream().anyMatch(range -> range.contains(entry.key()))))
                    .field(
                            "next",
                            rest.size() > most
                                    ? shown.get(shown.size() - 1).key().toString()
                                    : null);
        });
    }

    /** How much this peer has, and a number that changes with it. */
    String filesInAll() {
        Collection<StoreEntry> all = store.entries();
        return JsonText.object(json -> totals(json, all));
    }

    private static void totals(JsonText json, Collection<StoreEntry> all) {
        long names =
                all.stream().filter(entry -> entry.live() && entry.isName()).count();
        long files = all.stream().filter(StoreEntry::isFile).count();
        json.field("files", files)
                .field("names", names)
                .field("deleted", all.size() - files - names)
                .field(
                        "usedBytes",
                        all.stream().mapToLong(StoreEntry::sizeBytes).sum())
                .field("version", all.stream().mapToInt(StoreEntry::hashCode).sum() & 0xffffffffL);
    }

    @CanIgnoreReturnValue
    private static JsonText entry(JsonText json, StoreEntry entry) {
        return json.field("id", entry.key().toString())
                .field("kind", entry.isName() ? "name" : "file")
                .field("name", entry.isName() ? entry.name() : null)
                .field("target", entry.isName() ? entry.target().toString() : null)
                .field("deleted", !entry.live())
                .field("sizeBytes", entry.sizeBytes())
                .field("replicas", (long) entry.replicas());
    }

    /**
     * The way to a key, and who has it.
     *
     * @param text the id of a file, or its name, or any other name
     */
    String lookup(String text) throws IOException {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > StoreEntry.MAX_NAME_BYTES) {
            throw new IllegalArgumentException(
                    "key must be an id or a name of 1 to " + StoreEntry.MAX_NAME_BYTES + " bytes, got " + bytes);
        }
        boolean isId = ID.matcher(text).matches();
        Id key = isId ? Id.fromHex(text) : StoreEntry.keyOf(text);
        LookupTrace trace = Blocking.on(host.trace(key));
        double millis = trace.millis().stream().mapToDouble(Double::doubleValue).sum();
        Optional<Member> owner = trace.answer().owner();
        Optional<ReplicaMap> found = owner.isPresent() ? Optional.of(store.whereabouts(key)) : Optional.empty();
        return JsonText.object(json -> {
            json.field("text", text)
                    .field("kind", isId ? "id" : "name")
                    .field("key", key.toString())
                    .field("millis", millis)
                    .field("reached", owner.isPresent())
                    .field("presumed", trace.answer().presumed());
            owner.ifPresent(member -> json.object(
                    "owner",
                    other -> member(other, member)
                            .field(
                                    "from",
                                    trace.answer()
                                            .predecessor()
                                            .orElse(member)
                                            .id()
                                            .toString())));
            hops(json, trace);
            found.flatMap(ReplicaMap::newest).ifPresent(entry -> json.object("entry", each -> entry(each, entry)));
            json.objects(
                    "hosts",
                    found.map(ReplicaMap::hosts).orElse(List.of()),
                    (each, at) -> each.field("address", at.address())
                            .field("reached", at.reached())
                            .field("has", at.entry().filter(StoreEntry::live).isPresent()));
        });
    }

    private static void hops(JsonText json, LookupTrace trace) {
        List<Hop> path = trace.answer().path();
        int[] step = {0};
        json.objects(
                "hops",
                path,
                (each, hop) -> member(each, hop.member())
                        .field("here", hop.request() == 0)
                        .field(
                                "outcome",
                                hop.outcome().name().toLowerCase(Locale.ROOT).replace('_', ' '))
                        .field("millis", trace.millis().get(step[0]++)));
    }
}
