package dev.perhaps.proxy.siblings;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.store.FileClient;
import dev.perhaps.proxy.Origin;
import dev.perhaps.web.StrangerLog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The proxies in front of one origin, as they have announced themselves on a ring of peers. What the ring says is checked with
 * the same {@link SiblingRules} as what was configured. Safe for any number of threads.
 */
public final class RingDirectory implements SiblingDirectory {
    /*
     * A ring can be asked for a name, not for a list of names. So there are 32 numbered names for each origin:
     *     proxies/URL/0 … proxies/URL/31  ──>  a file of one line, NAME HOST:PORT, and MAC where there is a secret
     * A proxy takes the first that is free, for the first who takes a name has it, and gives it back when it stops. One
     * that dies leaves its line behind; siblings find it dead, and the proxy finds its line again when it is started
     * again under its name. One copy of a line is enough: a proxy that finds its own gone writes it again.
     *
     * Anybody who may write to the ring can announce any line. That alone makes nobody a sibling: with a secret, a line
     * is signed, and with certificates, a proxy that is reached shows its own. The signature is needed besides that of
     * digests: a stranger who is listed could pass a signed request on to a true sibling, pass its digest back, and then
     * respond to requests for pages, which are not signed. A line that no configuration would be allowed to have is not used
     * either.
     */
    private static final int PLACES = 32;
    private static final int REPLICAS = 1;
    private static final int MAX_LINE_BYTES = 512;
    private static final long LOOK_EVERY_NANOS = 5_000_000_000L;

    private final HostPort via;
    private final Cluster cluster;
    private final String origin;
    private final SiblingRules rules;
    private final @Nullable SiblingSecret secret;
    private final Supplier<HostPort> address;
    private final Consumer<String> log;

    // Guarded by this.
    private final Map<Id, String> lines = new HashMap<>();
    private final Set<String> refused = new HashSet<>();
    private Map<String, InetSocketAddress> found = Map.of();
    private long lookedNanos;
    private boolean looked;

    /**
     * The proxies before an origin.
     *
     * @param via a peer of the ring
     * @param cluster how the ring lets this proxy in
     * @param secret what all siblings know, with which lines are signed; null: they show certificates, or are on this machine
     * @param address where siblings reach this proxy; asked for when it listens
     * @param log gets a sentence for each line of the ring that is not used
     */
    public RingDirectory(
            HostPort via,
            Cluster cluster,
            Origin origin,
            SiblingRules rules,
            @Nullable SiblingSecret secret,
            Supplier<HostPort> address,
            Consumer<String> log) {
        this.via = via;
        this.cluster = cluster;
        this.origin = origin.url();
        this.rules = rules;
        this.secret = secret;
        this.address = address;
        this.log = new StrangerLog(log);
    }

    @Override
    public synchronized Map<String, InetSocketAddress> siblings() throws IOException {
        long now = System.nanoTime();
        if (!looked || now - lookedNanos > LOOK_EVERY_NANOS) {
            lookedNanos = now;
            looked = true;
            try (FileClient ring = FileClient.open(via, cluster)) {
                found = look(ring);
            } catch (IOException e) {
                throw new IOException("the ring cannot be reached at " + via + ": " + e.getMessage(), e);
            }
        }
        return found;
    }

    private Map<String, InetSocketAddress> look(FileClient ring) throws IOException {
        Map<String, InetSocketAddress> all = new LinkedHashMap<>();
        List<String> free = new ArrayList<>();
        Set<Id> ids = new HashSet<>();
        boolean announced = false;
        for (int i = 0; i < PLACES; i++) {
            String place = place(i);
            Optional<Id> id = ring.named(place);
            id.ifPresent(ids::add);
            String line = id.isEmpty() ? null : line(ring, id.get());
            if (id.isEmpty()) {
                free.add(place);
            } else if (ownLine().equals(line)) {
                announced = true;
            } else if (line != null && line.startsWith(rules.ownName() + " ")) {
                ring.deleteName(place); // ours, from another address
                free.add(place);
            } else if (line != null) {
                add(line, all);
            }
        }
        lines.keySet().retainAll(ids); // what is no longer there is forgotten
        refused.retainAll(new HashSet<>(lines.values()));
        if (!announced && !free.isEmpty()) {
            announce(ring, free, all);
        }
        return all;
    }

    private void add(String line, Map<String, InetSocketAddress> all) {
        try {
            String[] words = line.split(" ", -1);
            if (secret == null && words.length != 2) {
                throw new IllegalArgumentException("a line is NAME HOST:PORT");
            }
            if (secret != null && (words.length != 3 || !secret.checkPlace(origin, words[0], words[1], words[2]))) {
                throw new IllegalArgumentException("it is not signed with the common secret");
            }
            HostPort at = HostPort.of(words[1]);
            InetSocketAddress socket = rules.check(words[0], at.host(), at.port());
            all.putIfAbsent(words[0], socket);
        } catch (IllegalArgumentException e) {
            if (refused.add(line)) {
                log.accept("the ring names a sibling that is not used, '" + line + "': " + e.getMessage());
            }
        }
    }

    private @Nullable String line(FileClient ring, Id id) throws IOException {
        String known = lines.get(id);
        if (known != null) {
            return known;
        }
        Optional<FileClient.Arrival> arrival = ring.get(id);
        if (arrival.isEmpty() || arrival.get().sizeBytes() > MAX_LINE_BYTES) {
            return null;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        arrival.get().writeTo(bytes, sent -> {});
        String line = bytes.toString(StandardCharsets.UTF_8).strip();
        lines.put(id, line);
        return line;
    }

    /** Takes the first free place; proxies that have taken places meanwhile are siblings. */
    private void announce(FileClient ring, List<String> free, Map<String, InetSocketAddress> all) throws IOException {
        Path file = Files.createTempFile("perhaps-proxy", ".line");
        try {
            Files.writeString(file, ownLine() + "\n");
            Id id = FileClient.idOf(file);
            ring.put(file, id, REPLICAS, sent -> {});
            for (String place : free) {
                Optional<Id> quicker = take(ring, place, id);
                if (quicker.isEmpty()) {
                    return;
                }
                String line = line(ring, quicker.get());
                if (line != null) {
                    add(line, all);
                }
            }
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Registers this place for this proxy, unless another one has it. */
    private static Optional<Id> take(FileClient ring, String place, Id own) throws IOException {
        try {
            ring.name(place, own, REPLICAS);
            return Optional.empty();
        } catch (Failure e) {
            Optional<Id> holder = ring.named(place);
            if (holder.isEmpty()) {
                throw e;
            }
            return holder.filter(id -> !id.equals(own));
        }
    }

    /** Removes the entry of this proxy from the ring. */
    @Override
    public synchronized void leave() throws IOException {
        if (!looked) {
            return;
        }
        try (FileClient ring = FileClient.open(via, cluster)) {
            for (int i = 0; i < PLACES; i++) {
                Optional<Id> id = ring.named(place(i));
                if (id.isPresent() && ownLine().equals(line(ring, id.get()))) {
                    ring.deleteName(place(i));
                    return;
                }
            }
        } catch (IOException e) {
            throw new IOException("the ring still names this proxy: " + e.getMessage(), e);
        }
    }

    private String ownLine() {
        String at = address.get().toString();
        return rules.ownName() + " " + at + (secret == null ? "" : " " + secret.signPlace(origin, rules.ownName(), at));
    }

    private String place(int i) {
        return "proxies/" + origin + "/" + i;
    }
}
