package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.RingView;
import dev.perhaps.chord.store.FileClient;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;

/** What was put on a ring and deleted from it, and whether every answer since then is right. */
final class History {
    /*
     * A put or delete that was acknowledged holds from then on. A get is right if it gives the bytes that were put; or says
     * that there is nothing, of what was deleted; or says that it is not reachable, and none of those who are has it.
     *
     * Many are asked for at once: a peer that is silent costs a deadline each time, and nothing else. On a machine that is
     * busy a question may fail though all is well, so it is asked again; a wrong answer is never asked again.
     */
    private static final int ASK_MILLIS = 20_000;
    private static final int COPIES = 3;
    private static final int AT_ONCE = 32;

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

    /** Puts files of these sizes, each through one of the peers; gives the id of the last. */
    Id put(List<String> peers, int... sizesBytes) throws Exception {
        Map<Id, Path> files = new LinkedHashMap<>();
        for (int size : sizesBytes) {
            Path file = randomFile(size);
            files.put(FileClient.idOf(file), file);
        }
        each(files.entrySet(), file -> any(peers), (file, client) -> {
            client.put(file.getValue(), file.getKey(), COPIES, n -> {});
        });
        Id last = Id.hashOf("none");
        for (Map.Entry<Id, Path> file : files.entrySet()) {
            last = file.getKey();
            put.put(last, Files.size(file.getValue()));
            Files.delete(file.getValue());
        }
        return last;
    }

    private Path randomFile(int sizeBytes) throws IOException {
        byte[] bytes = new byte[sizeBytes];
        random.nextBytes(bytes);
        return Files.write(Files.createTempFile(folder, "put", null), bytes);
    }

    /** Tries to put a file that the ring must refuse, for this reason. */
    void checkRefused(List<String> peers, int sizeBytes, String reason) throws Exception {
        Path file = randomFile(sizeBytes);
        each(peers, via -> via, (via, client) -> {
            try {
                client.put(file, FileClient.idOf(file), COPIES, n -> {});
            } catch (Failure e) {
                if (String.valueOf(e.getMessage()).contains(reason)) {
                    return;
                }
                throw e;
            }
            throw new AssertionError("a put through " + via + " must be refused: " + reason);
        });
        Files.delete(file);
    }

    void deleteSome(List<String> peers, int number) throws Exception {
        List<Id> ids = new ArrayList<>(put.keySet()).subList(0, number);
        Set<Id> begun = ConcurrentHashMap.newKeySet();
        each(ids, id -> any(peers), (id, client) -> {
            boolean first = begun.add(id);
            assertThat(client.delete(id) || !first).as("%s was there", id).isTrue();
        });
        put.keySet().removeAll(ids);
        deleted.addAll(ids);
    }

    int files() {
        return put.size();
    }

    private String any(List<String> peers) {
        return peers.get(random.nextInt(peers.size()));
    }

    /** Gets everything, each through one of the peers: all of it must be there, and nothing that was deleted. */
    void check(List<String> peers) throws Exception {
        getAll(peers, id -> true);
        checkDeleted(peers, false);
    }

    /** What peers that keep their files in these folders have on their disks. */
    static Set<Id> onDisk(List<Path> folders) throws IOException {
        Set<Id> ids = new HashSet<>();
        for (Path folder : folders) {
            try (DirectoryStream<Path> shelf = Files.newDirectoryStream(folder.resolve("shelf"))) {
                for (Path file : shelf) {
                    String name = file.getFileName().toString();
                    if (name.matches("[0-9a-f]{40}")) {
                        ids.add(Id.fromHex(name));
                    }
                }
            }
        }
        return ids;
    }

    /**
     * Gets everything through peers that are cut off from others: what one of them has is there, all else is not reachable.
     *
     * @return how many were reachable
     */
    int checkCut(List<String> peers, Set<Id> onTheirDisks) throws Exception {
        getAll(peers, onTheirDisks::contains);
        checkDeleted(peers, true);
        return (int) put.keySet().stream().filter(onTheirDisks::contains).count();
    }

    /** The checksum is the id, and the client compares it. */
    private void getAll(List<String> peers, Predicate<Id> isReachable) throws Exception {
        each(put.entrySet(), file -> any(peers), (file, client) -> {
            Id id = file.getKey();
            try {
                Optional<FileClient.Arrival> arrival = client.get(id);
                assertThat(arrival).as("%s exists", id).isPresent();
                CountingStream bytes = new CountingStream();
                arrival.get().writeTo(bytes, n -> {});
                assertThat(bytes.count).isEqualTo(file.getValue());
                assertThat(isReachable.test(id)).as("%s is on this side", id).isTrue();
            } catch (Failure e) {
                acceptUnreachable(e, !isReachable.test(id));
            }
        });
    }

    /** Not reachable is the right answer only if somebody is silent; otherwise it is a reason to ask again. */
    private static void acceptUnreachable(Failure failure, boolean isRight) throws Failure {
        if (!isRight || !String.valueOf(failure.getMessage()).startsWith("not reachable: ")) {
            throw failure;
        }
    }

    /** What is done with one of many things, through a peer. */
    @FunctionalInterface
    private interface Deed<T> {
        void run(T thing, FileClient client) throws Exception;
    }

    /** Does it with each, many at once, each through the peer that is named for it. */
    private <T> void each(Collection<T> things, Function<T, String> peer, Deed<T> deed) throws Exception {
        List<Callable<Boolean>> tasks = new ArrayList<>();
        for (T thing : things) {
            String via = peer.apply(thing);
            tasks.add(() -> {
                eventually(thing, via, deed);
                return true;
            });
        }
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        try {
            for (Future<Boolean> done : threads.invokeAll(tasks)) {
                assertThat(done.get()).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Does it again and again while it fails; a wrong result is an error at once. */
    private <T> void eventually(T thing, String via, Deed<T> deed) throws Exception {
        List<String> failures = new ArrayList<>();
        Await.until(() -> thing + " through " + via + ": " + failures, () -> {
            try (FileClient client = client(via)) {
                deed.run(thing, client);
                return true;
            } catch (IOException e) {
                failures.add(e.getMessage());
                return false;
            }
        });
    }

    /** What was deleted is not there; or, only if that is allowed, it cannot be said. */
    private void checkDeleted(List<String> peers, boolean silenceIsAllowed) throws Exception {
        each(deleted, id -> any(peers), (id, client) -> {
            try {
                assertThat(client.get(id)).as("%s was deleted", id).isEmpty();
            } catch (Failure e) {
                acceptUnreachable(e, silenceIsAllowed);
            }
        });
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
        each(peers, via -> via, (via, client) -> {
            try {
                assertThat(client.get(Id.hashOf("never put"))).isEmpty();
                assertThat(everybodyAnswers).as("certain through %s", via).isTrue();
            } catch (Failure e) {
                acceptUnreachable(e, !everybodyAnswers);
            }
        });
    }

    /** Waits until the ring is as it should be in the eyes of each of these peers. */
    private void awaitRing(List<String> peers, String what, Predicate<RingView> condition) throws Exception {
        for (String via : peers) {
            AtomicReference<Object> last = new AtomicReference<>("nothing");
            Await.until(() -> what + " through " + via + ": " + last, () -> {
                try {
                    RingView ring = RingView.ask(HostPort.of(via), cluster, ASK_MILLIS);
                    last.set(ring);
                    return condition.test(ring);
                } catch (IOException e) {
                    last.set(e);
                    return false;
                }
            });
        }
    }

    /** Waits until each of these peers sees this number of peers on its ring, and all of them settled. */
    void awaitSettled(List<String> peers, int number) throws Exception {
        awaitRing(peers, number + " settled peers", ring -> isSettled(ring, number));
    }

    private static boolean isSettled(RingView ring, int peers) {
        return ring.isSettled() && ring.load().size() == peers;
    }

    /** Waits until each of these peers has heard that the one at the other address has left in order. */
    void awaitLeft(List<String> peers, String address) throws Exception {
        awaitRing(
                peers, address + " has left", ring -> "left".equals(ring.gone().get(address)));
    }

    /**
     * Waits until each of these peers sees this number of settled peers with three copies of each file, no more and no
     * fewer; says how long it took.
     */
    double awaitWhole(List<String> peers, int number) throws Exception {
        long start = System.nanoTime();
        awaitRing(peers, number + " settled peers, three copies of each of " + put.size() + " files", ring -> {
            long copies = 0;
            long lacking = 0;
            for (Map<String, Long> load : ring.load().values()) {
                copies += load.getOrDefault("files", 0L);
                lacking += load.getOrDefault("lacking", 0L);
            }
            return isSettled(ring, number) && lacking == 0 && copies == (long) COPIES * put.size();
        });
        return (System.nanoTime() - start) / 1e9;
    }
}
