package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.wire.Relay;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How many connections a get opens. Every peer is reached through a relay, which sees what is asked on which connection. */
@Timeout(300) // only ends a test that hangs
class ConnectionsIT {
    private static final int KEY_AT = 5;
    private static final int KEY_BYTES = 20;

    /** A connection to a peer: the relay has a thread for each. */
    private record Connection(String peer, Thread thread) {}

    @TempDir
    private Path folder;

    private StoreRing ring = new StoreRing(Path.of("."));
    private final List<Relay> relays = new ArrayList<>();
    private final Map<String, String> listens = new TreeMap<>();
    private final Map<Connection, List<Integer>> asked = new ConcurrentHashMap<>();
    private volatile Id key = Id.hashOf("none");

    @BeforeEach
    void fourPeers() throws Exception {
        ring = new StoreRing(folder);
        for (String name : List.of("a", "b", "c", "d")) {
            int port;
            try (ServerSocket free = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
                port = free.getLocalPort();
            }
            String listen = "127.0.0.1:" + port;
            Relay relay = new Relay(0, listen, (fromOpener, number, frame) -> {
                note(name, frame);
                return List.of(frame);
            });
            relays.add(relay);
            listens.put(name, listen);
            ring.startBehind(name, listen, relay.address());
        }
        ring.awaitWhole();
    }

    @AfterEach
    void closeAll() throws Exception {
        ring.close();
        for (Relay relay : relays) {
            relay.close();
        }
    }

    /** Only peers ask these, and nobody else asks for this key. */
    private void note(String peer, byte[] frame) {
        boolean isQuestion = frame[4] == FrameTypes.LOOK || frame[4] == FrameTypes.FETCH;
        if (isQuestion
                && Id.of(Arrays.copyOfRange(frame, KEY_AT, KEY_AT + KEY_BYTES)).equals(key)) {
            asked.computeIfAbsent(new Connection(peer, Thread.currentThread()), each -> new ArrayList<>())
                    .add((int) frame[4]);
        }
    }

    /** Gets a file through a peer, and returns what was asked on each connection, by the peer that was asked. */
    @CanIgnoreReturnValue
    private Map<String, List<List<Integer>>> get(Id id, String via) throws Exception {
        asked.clear();
        key = id;
        ring.get(id, Objects.requireNonNull(listens.get(via)));
        Map<String, List<List<Integer>>> byPeer = new TreeMap<>();
        asked.forEach((connection, types) -> byPeer.computeIfAbsent(connection.peer, each -> new ArrayList<>())
                .add(types));
        return byPeer;
    }

    private boolean has(String name, Id id) {
        return ring.shelf(name).resolve(id.toString()).toFile().exists();
    }

    @Test
    void aPeerThatHasTheFileAsksTheOthersOnceAndReadsItsOwnShelf() throws Exception {
        Id id = ring.put(new byte[200_000], 3);
        String via = listens.keySet().stream()
                .filter(name -> has(name, id))
                .findFirst()
                .orElseThrow();
        Map<String, List<List<Integer>>> connections = get(id, via);
        assertThat(connections).doesNotContainKey(via).hasSize(2);
        assertThat(connections.values()).containsOnly(List.of(List.of(FrameTypes.LOOK)));
    }

    @Test
    void aFileIsFetchedOverTheConnectionThatFoundIt() throws Exception {
        Id id = ring.put(new byte[200_000], 3);
        String via = listens.keySet().stream()
                .filter(name -> !has(name, id))
                .findFirst()
                .orElseThrow();
        Map<String, List<List<Integer>>> connections = get(id, via);
        assertThat(connections).doesNotContainKey(via).hasSize(3);
        assertThat(connections.values()).allSatisfy(each -> assertThat(each).hasSize(1));
        assertThat(connections.values())
                .filteredOn(each -> each.equals(List.of(List.of(FrameTypes.LOOK, FrameTypes.FETCH))))
                .hasSize(1);
    }

    @Test
    void whatNobodyHasCostsOneConnectionPerPeer() throws Exception {
        String via = "a";
        Map<String, List<List<Integer>>> connections = get(Id.hashOf("never put"), via);
        assertThat(connections).containsOnlyKeys("b", "c", "d");
        assertThat(connections.values()).allSatisfy(each -> assertThat(each).hasSize(1));
    }
}
