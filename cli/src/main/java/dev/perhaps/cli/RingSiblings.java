package dev.perhaps.cli;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.net.Cluster;
import dev.perhaps.chord.net.Failure;
import dev.perhaps.chord.net.HostPort;
import dev.perhaps.chord.store.FileClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The proxies before one origin, as they have announced themselves on a ring of peers. Confined to a thread. */
final class RingSiblings implements Supplier<Map<String, InetSocketAddress>> {
    /*
     * A ring can be asked for a name, not for a list of names. So there are 32 numbered names for each origin:
     *     proxies/URL/0 … proxies/URL/31  ──>  a file of one line, NAME HOST:PORT
     * A proxy takes the first that is free, for the first who takes a name has it, and gives it back when it stops. One that
     * dies leaves its line behind; siblings find it dead, and the proxy finds its line again when it is started anew under its
     * name. One copy of a line is enough: a proxy that finds its own gone writes it again.
     */
    private static final int PLACES = 32;
    private static final int REPLICAS = 1;
    private static final int MOST_LINE_BYTES = 512;
    private static final long LOOK_EVERY_NANOS = 5_000_000_000L;

    private final HostPort via;
    private final Cluster cluster;
    private final String origin;
    private final String name;
    private final HostPort address;
    private final Map<Id, String> lines = new HashMap<>();
    private Map<String, InetSocketAddress> found = Map.of();
    private long lookedNanos;
    private boolean looked;

    RingSiblings(HostPort via, Cluster cluster, String origin, String name, HostPort address) {
        this.via = via;
        this.cluster = cluster;
        this.origin = origin;
        this.name = name;
        this.address = address;
    }

    @Override
    public Map<String, InetSocketAddress> get() {
        long now = System.nanoTime();
        if (!looked || now - lookedNanos > LOOK_EVERY_NANOS) {
            lookedNanos = now;
            looked = true;
            try (FileClient ring = FileClient.open(via, cluster)) {
                found = look(ring);
            } catch (IOException e) {
                // Those who were there before are siblings still; who runs it is told.
                throw new UncheckedIOException(via + ": " + e.getMessage(), e);
            }
        }
        return found;
    }

    private Map<String, InetSocketAddress> look(FileClient ring) throws IOException {
        Map<String, InetSocketAddress> all = new LinkedHashMap<>();
        List<String> free = new ArrayList<>();
        boolean announced = false;
        for (int i = 0; i < PLACES; i++) {
            String place = place(i);
            Optional<Id> id = ring.named(place);
            String line = id.isEmpty() ? null : line(ring, id.get());
            if (id.isEmpty()) {
                free.add(place);
            } else if (ownLine().equals(line)) {
                announced = true;
            } else if (line != null && line.startsWith(name + " ")) {
                ring.deleteName(place); // ours, from another address
                free.add(place);
            } else if (line != null) {
                add(line, all);
            }
        }
        if (!announced && !free.isEmpty()) {
            announce(ring, free, all);
        }
        return all;
    }

    private static void add(String line, Map<String, InetSocketAddress> all) {
        String[] words = line.split(" ", 3);
        if (words.length != 2 || !words[0].matches("[A-Za-z][A-Za-z0-9._-]{0,63}")) {
            return;
        }
        try {
            HostPort at = HostPort.of(words[1]);
            all.put(words[0], new InetSocketAddress(at.host(), at.port()));
        } catch (IllegalArgumentException e) {
            return; // no address: nobody who could be asked
        }
    }

    private @Nullable String line(FileClient ring, Id id) throws IOException {
        String known = lines.get(id);
        if (known != null) {
            return known;
        }
        Optional<FileClient.Arrival> arrival = ring.get(id);
        if (arrival.isEmpty() || arrival.get().sizeBytes() > MOST_LINE_BYTES) {
            return null;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        arrival.get().writeTo(bytes, sent -> {});
        String line = bytes.toString(StandardCharsets.UTF_8).strip();
        lines.put(id, line);
        return line;
    }

    /** Takes the first place that is still free; who was quicker at another is a sibling. */
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

    /** Names this place ours, unless somebody else has done so. */
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

    /** Takes the own line from the ring, as far as it can be reached. */
    void leave() {
        try (FileClient ring = FileClient.open(via, cluster)) {
            for (int i = 0; i < PLACES; i++) {
                Optional<Id> id = ring.named(place(i));
                if (id.isPresent() && ownLine().equals(line(ring, id.get()))) {
                    ring.deleteName(place(i));
                    return;
                }
            }
        } catch (IOException e) {
            Console.say("perhaps: the ring still names this proxy: " + e.getMessage());
        }
    }

    private String ownLine() {
        return name + " " + address;
    }

    private String place(int i) {
        return "proxies/" + origin + "/" + i;
    }
}
