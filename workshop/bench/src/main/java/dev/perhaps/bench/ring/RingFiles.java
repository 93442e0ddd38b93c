package dev.perhaps.bench.ring;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.store.FileClient;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Files that clients put on the ring and get from it, each through any of the peers. */
final class RingFiles {
    private final RingPeers peers;
    private final Path folder;
    private final Random random;

    RingFiles(RingPeers peers, Path folder, long seed) {
        this.peers = peers;
        this.folder = folder;
        this.random = new Random(seed);
    }

    /** A file that nobody has yet. */
    record Fresh(Id id, Path path) {}

    List<Fresh> make(int count, int sizeBytes) throws IOException {
        List<Fresh> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] bytes = new byte[sizeBytes];
            random.nextBytes(bytes);
            Path path = Files.write(Files.createTempFile(folder, "fresh", null), bytes);
            files.add(new Fresh(FileClient.idOf(path), path));
        }
        return files;
    }

    /** Puts them, with this number of clients at a time, and returns the number of seconds that it took. */
    double put(List<Fresh> files, int replicas, int clients) throws IOException {
        return each(files, clients, (file, client) -> client.put(file.path(), file.id(), replicas, n -> {}));
    }

    /** Gets them; the client compares what comes with the id. */
    double get(Collection<Id> ids, int clients) throws IOException {
        return each(ids, clients, (id, client) -> {
            Optional<FileClient.Arrival> arrival = client.get(id);
            if (arrival.isEmpty()) {
                throw new IllegalStateException(id + " is reported missing");
            }
            arrival.get().writeTo(OutputStream.nullOutputStream(), n -> {});
        });
    }

    /** Those whose copies are all dead must be called not reachable, and nothing else. */
    void expectUnreachable(Collection<Id> ids, int clients) throws IOException {
        each(ids, clients, (id, client) -> {
            try {
                var unused = client.get(id);
            } catch (Failure e) {
                if (String.valueOf(e.getMessage()).startsWith("not reachable: ")) {
                    return;
                }
                throw e;
            }
            throw new IllegalStateException(id + " has no live copy, and yet there was an answer");
        });
    }

    void delete(Collection<Id> ids, int clients) throws IOException {
        each(ids, clients, (id, client) -> {
            if (!client.delete(id)) {
                throw new IllegalStateException(id + " was not there to be deleted");
            }
        });
    }

    @FunctionalInterface
    private interface Deed<T> {
        void run(T thing, FileClient client) throws IOException;
    }

    private <T> double each(Collection<T> things, int clients, Deed<T> deed) throws IOException {
        List<Integer> numbers = peers.numbers();
        List<Callable<Boolean>> tasks = new ArrayList<>();
        for (T thing : things) {
            HostPort via = HostPort.of(RingPeers.address(numbers.get(random.nextInt(numbers.size()))));
            tasks.add(() -> {
                try (FileClient client = FileClient.open(via, Cluster.open())) {
                    deed.run(thing, client);
                    return true;
                }
            });
        }
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        long start = System.nanoTime();
        try {
            for (Future<Boolean> done : threads.invokeAll(tasks)) {
                done.get();
            }
            return RingPeers.secondsSince(start);
        } catch (ExecutionException e) {
            throw new IllegalStateException(String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            threads.shutdownNow();
        }
    }
}
