package dev.perhaps.chord.store;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.chord.Await;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Settings;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.PeerHost;
import dev.perhaps.chord.host.RingView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Peers that keep files, over real sockets, all in this process, at a quick pace. */
final class StoreRing implements AutoCloseable {
    private static final Settings QUICK = new Settings(4, 3, 300, 100, 100, 300, 64);
    static final long MARK_MILLIS = 1_000;

    private final Path folder;
    private final Cluster cluster;
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final List<String> log = Collections.synchronizedList(new ArrayList<>());
    private long lives = 1;

    StoreRing(Path folder) {
        this(folder, Cluster.open());
    }

    StoreRing(Path folder, Cluster cluster) {
        this.folder = folder;
        this.cluster = cluster;
    }

    /** A peer. */
    private record Node(PeerHost host, FileStore store) {}

    /** Starts a peer in a folder of this name; if it was there before, at the same address. */
    @CanIgnoreReturnValue
    String start(String name) throws Exception {
        return start(name, FileStore.Limits.usual(), false);
    }

    /** Starts a peer that listens at one address and is reached at another. */
    @CanIgnoreReturnValue
    String startBehind(String name, String listen, String advertised) throws Exception {
        Files.createDirectories(folder.resolve(name));
        Files.writeString(folder.resolve(name).resolve("address"), listen);
        return start(name, FileStore.Limits.usual(), false, HostPort.of(advertised));
    }

    @CanIgnoreReturnValue
    String start(String name, FileStore.Limits limits, boolean takeBack) throws Exception {
        return start(name, limits, takeBack, null);
    }

    private String start(String name, FileStore.Limits limits, boolean takeBack, @Nullable HostPort advertised)
            throws Exception {
        PeerHost host = new PeerHost(cluster, QUICK, log::add);
        Path where = folder.resolve(name);
        Path addressFile = where.resolve("address");
        Files.createDirectories(where);
        String before = Files.exists(addressFile) ? Files.readString(addressFile) : "127.0.0.1:0";
        String address = host.listen(HostPort.of(before), advertised);
        Files.writeString(addressFile, address);
        List<String> contacts =
                nodes.values().stream().map(node -> node.host.address()).toList();
        FileStore.Setup setup = new FileStore.Setup(
                where, limits, new FileStore.Pace(300, 500, MARK_MILLIS, 1_500), contacts, takeBack);
        FileStore store = FileStore.open(host, cluster, setup, log::add);
        long firstRequest = ++lives << 32;
        (contacts.isEmpty() ? host.begin(1, firstRequest) : host.join(1, firstRequest, contacts))
                .get(120, TimeUnit.SECONDS);
        nodes.put(name, new Node(host, store));
        return address;
    }

    /** As if it were killed: it hands over nothing and tells nobody. */
    void crash(String name) {
        Node node = node(name);
        nodes.remove(name);
        node.store.close();
        node.host.close();
    }

    /** Stops peers in order, all at once. */
    void leave(String... names) throws Exception {
        List<CompletableFuture<Void>> leaving = new ArrayList<>();
        for (String name : names) {
            Node node = node(name);
            leaving.add(node.host.leave(node.store.handOver()));
        }
        for (CompletableFuture<Void> each : leaving) {
            each.get(120, TimeUnit.SECONDS);
        }
        for (String name : names) {
            node(name).host.close();
            nodes.remove(name);
        }
    }

    String address(String name) {
        return node(name).host.address();
    }

    private Node node(String name) {
        return Objects.requireNonNull(nodes.get(name), name);
    }

    private String any() {
        return nodes.values().iterator().next().host.address();
    }

    FileClient client() throws IOException {
        return client(any());
    }

    FileClient client(String via) throws IOException {
        return FileClient.open(HostPort.of(via), cluster);
    }

    @CanIgnoreReturnValue
    Id put(byte[] content, int replicas) throws Exception {
        Path file = Files.write(folder.resolve("put"), content);
        Id id = FileClient.idOf(file);
        try (FileClient client = client()) {
            client.put(file, id, replicas, n -> {});
        }
        return id;
    }

    /** Its content; empty if it certainly does not exist. */
    Optional<byte[]> get(Id id) throws Exception {
        return get(id, any());
    }

    @CanIgnoreReturnValue
    Optional<byte[]> get(Id id, String via) throws Exception {
        try (FileClient client = client(via)) {
            Optional<FileClient.Arrival> arrival = client.get(id);
            if (arrival.isEmpty()) {
                return Optional.empty();
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            arrival.get().writeTo(out, n -> {});
            return Optional.of(out.toByteArray());
        }
    }

    boolean delete(Id id) throws Exception {
        try (FileClient client = client()) {
            return client.delete(id);
        }
    }

    Path shelf(String name) {
        return folder.resolve(name).resolve("shelf");
    }

    RingView ring() throws Exception {
        return RingView.ask(HostPort.of(any()), cluster, 10_000);
    }

    /** A figure of a peer, as {@code ring} shows it. */
    long figure(String name, String figure) throws Exception {
        Map<String, Long> load = ring().load().get(address(name));
        return load == null ? -1 : load.getOrDefault(figure, -1L);
    }

    /** Waits until all peers are settled and nobody lacks anything. */
    void awaitWhole() throws Exception {
        await("whole", () -> {
            RingView ring = ring();
            return ring.isSettled()
                    && ring.load().size() == nodes.size()
                    && ring.load().values().stream().allMatch(load -> load.getOrDefault("lacking", -1L) == 0);
        });
    }

    void await(String what, Callable<Boolean> condition) throws Exception {
        Await.until(() -> what + "; the log: " + log, condition);
    }

    List<String> log() {
        return log;
    }

    @Override
    public void close() {
        List.copyOf(nodes.keySet()).forEach(this::crash);
    }
}
