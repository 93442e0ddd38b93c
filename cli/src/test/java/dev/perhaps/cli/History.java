package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.net.Cluster;
import dev.perhaps.chord.net.Failure;
import dev.perhaps.chord.net.HostPort;
import dev.perhaps.chord.net.Ring;
import dev.perhaps.chord.store.FileClient;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** What was put on a ring and deleted from it, and whether every answer since then is right. */
final class History {
    /*
     * A put or delete that was acknowledged holds from then on. A get is right if it gives the bytes that were put; or says
     * that there is nothing, of what was deleted; or says that it is not reachable, only if the caller allows for that.
     */
    private static final int PATIENCE_SECONDS = 120;

    private final Path folder;
    private final Cluster cluster;
    private final Random random;
    private final Map<Id, Long> put = new LinkedHashMap<>();
    private final Set<Id> deleted = new LinkedHashSet<>();

    History(Path folder, Cluster cluster, long seed) {
        this.folder = folder;
        this.cluster = cluster;
        this.random = new Random(seed);
    }

    private FileClient client(String via) throws IOException {
        return FileClient.open(HostPort.of(via), cluster);
    }

    /** Puts files of these sizes, each through one of the peers. */
    void put(List<String> peers, int... sizesBytes) throws Exception {
        for (int size : sizesBytes) {
            byte[] bytes = new byte[size];
            random.nextBytes(bytes);
            Path file = Files.write(folder.resolve("put"), bytes);
            Id id = FileClient.idOf(file);
            try (FileClient client = client(any(peers))) {
                client.put(file, id, 3, n -> {});
            }
            put.put(id, (long) size);
        }
    }

    void deleteSome(List<String> peers, int number) throws Exception {
        for (Id id : new ArrayList<>(put.keySet()).subList(0, number)) {
            try (FileClient client = client(any(peers))) {
                assertThat(client.delete(id)).isTrue();
            }
            put.remove(id);
            deleted.add(id);
        }
    }

    private String any(List<String> peers) {
        return peers.get(random.nextInt(peers.size()));
    }

    /** Gets everything, each through one of the peers: all of it must be there, and nothing that was deleted. */
    void check(List<String> peers) throws Exception {
        assertThat(checkReachable(peers, 1)).as("reachable through %s", peers).isEqualTo(put.size());
        checkDeleted(peers, false);
    }

    /**
     * Gets every so-manieth file, each through one of the peers; the checksum is the id, and the client compares it. What
     * is not reachable is allowed, that it does not exist is not.
     *
     * @return how many were reachable
     */
    int checkReachable(List<String> peers, int every) throws Exception {
        int reachable = 0;
        List<Map.Entry<Id, Long>> files = new ArrayList<>(put.entrySet());
        for (int i = 0; i < files.size(); i += every) {
            Map.Entry<Id, Long> each = files.get(i);
            try (FileClient client = client(any(peers))) {
                Optional<FileClient.Arrival> arrival = client.get(each.getKey());
                assertThat(arrival).as("%s exists", each.getKey()).isPresent();
                CountingStream bytes = new CountingStream();
                arrival.get().writeTo(bytes, n -> {});
                assertThat(bytes.count).isEqualTo(each.getValue());
                reachable++;
            } catch (Failure e) {
                assertThat(e.getMessage()).startsWith("not reachable: ");
            }
        }
        return reachable;
    }

    /** What was deleted is not there; or, only if that is allowed, it cannot be said. */
    void checkDeleted(List<String> peers, boolean silenceIsAllowed) throws Exception {
        for (Id id : deleted) {
            try (FileClient client = client(any(peers))) {
                assertThat(client.get(id)).as("%s was deleted", id).isEmpty();
            } catch (Failure e) {
                assertThat(e.getMessage()).startsWith("not reachable: ");
                assertThat(silenceIsAllowed).as(e.getMessage()).isTrue();
            }
        }
    }

    private static final class CountingStream extends OutputStream {
        private long count;

        @Override
        public void write(int b) {
            count++;
        }

        @Override
        public void write(byte[] bytes, int from, int length) {
            count += length;
        }
    }

    /** What was never put: certainly not there if everybody answers, and not reachable if somebody is silent. */
    void checkUnknown(List<String> peers, boolean everybodyAnswers) throws Exception {
        for (String via : peers) {
            try (FileClient client = client(via)) {
                Optional<FileClient.Arrival> arrival = client.get(Id.hashOf("never put"));
                assertThat(arrival).isEmpty();
                assertThat(everybodyAnswers).as("certain through %s", via).isTrue();
            } catch (Failure e) {
                assertThat(e.getMessage()).startsWith("not reachable: ");
                assertThat(everybodyAnswers)
                        .as("%s, through %s", e.getMessage(), via)
                        .isFalse();
            }
        }
    }

    /** Waits until so many peers are on the ring of this one, and settled. */
    void awaitSettled(String via, int peers) throws Exception {
        long start = System.nanoTime();
        while (true) {
            Ring ring = Ring.ask(HostPort.of(via), cluster, 20_000);
            if (ring.isSettled() && ring.load().size() == peers) {
                return;
            }
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                throw new AssertionError("not " + peers + " settled peers: " + ring);
            }
            Thread.sleep(200);
        }
    }

    /** Waits until so many peers are settled and have three copies of each file, no more and no fewer; says how long it took. */
    double awaitWhole(String via, int peers) throws Exception {
        long start = System.nanoTime();
        while (true) {
            Ring ring = Ring.ask(HostPort.of(via), cluster, 20_000);
            long copies = 0;
            long lacking = 0;
            for (Map<String, Long> load : ring.load().values()) {
                copies += load.getOrDefault("files", 0L);
                lacking += load.getOrDefault("lacking", 0L);
            }
            if (ring.isSettled() && ring.load().size() == peers && lacking == 0 && copies == 3L * put.size()) {
                return (System.nanoTime() - start) / 1e9;
            }
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                throw new AssertionError("not whole: " + copies + " copies of " + put.size() + " files, " + lacking
                        + " lacking, " + ring);
            }
            Thread.sleep(200);
        }
    }
}
