package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.net.Failure;
import dev.perhaps.io.Figures;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What one peer has on its disk, a file an entry. May be used by many threads. */
final class Shelf {
    /*
     *     DIR/shelf/<id>              the entry, and behind it the file in chunks of 64 KiB, each with its CRC-32C
     *     DIR/shelf/<id>.<n>.coming   not yet whole: thrown away at the next start
     *
     * A file is checked against its id, forced to disk and renamed into its place, so whatever stands there is whole. All
     * changes of the index are made under one lock, which is held for a rename, never for a transfer.
     *
     * Dropping a copy that others are to have is the dangerous step: two peers that each drop because the other has it
     * lose it. So a peer first says to itself that the key is leaving, and from then on does not claim to have it; then
     * it asks the others, and whoever claims to have it promises to keep it for a while; only then it drops.
     */
    static final int CHUNK_BYTES = 1 << 16;

    /** How long a promise to keep an entry holds; who relies on it does so for a third of that time. */
    static final long PROMISE_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final Path folder;
    private final long quotaBytes;
    private final Index index = new Index();
    private final Map<Id, Long> promisedNanos = new ConcurrentHashMap<>();
    private final Set<Id> leaving = ConcurrentHashMap.newKeySet();
    private final AtomicLong usedBytes = new AtomicLong();
    private final AtomicLong coming = new AtomicLong();

    private Shelf(Path folder, long quotaBytes) {
        this.folder = folder;
        this.quotaBytes = quotaBytes;
    }

    static Shelf open(Path folder, long quotaBytes, Consumer<String> log) throws IOException {
        Files.createDirectories(folder);
        Shelf shelf = new Shelf(folder, quotaBytes);
        List<Path> all;
        try (var files = Files.list(folder)) {
            all = files.toList();
        }
        for (Path file : all) {
            String name = String.valueOf(file.getFileName());
            if (name.endsWith(".coming")) {
                Files.delete(file);
            } else if (name.length() == Id.BITS / 4) {
                shelf.load(file, name, log);
            }
        }
        return shelf;
    }

    private void load(Path file, String name, Consumer<String> log) {
        try (Copy copy = Copy.open(file)) {
            if (!copy.entry().key().equals(Id.fromHex(name)) || Files.size(file) != copy.fileBytes()) {
                throw new IOException("it is not whole");
            }
            index.put(copy.entry());
            usedBytes.addAndGet(copy.entry().sizeBytes());
        } catch (IOException | IllegalArgumentException e) {
            log.accept(file + " is left out: " + e.getMessage());
        }
    }

    @Nullable
    Entry get(Id key) {
        return index.get(key);
    }

    Collection<Entry> all() {
        return index.all();
    }

    Index index() {
        return index;
    }

    long files() {
        return index.all().stream().filter(Entry::isFile).count();
    }

    long usedBytes() {
        return usedBytes.get();
    }

    /** Of two who give one name to different files, the second is refused. */
    synchronized void refuseTaken(Entry entry) throws Failure {
        Entry here = index.get(entry.key());
        if (entry.isName()
                && entry.live()
                && here != null
                && here.live()
                && here.generation() >= entry.generation()
                && !here.target().equals(entry.target())) {
            throw new Failure("the name '" + entry.name() + "' is taken by " + here.target() + ": delete it first");
        }
    }

    /** True if nothing has to be sent: this entry or a newer one is here, and will stay for a while. */
    synchronized boolean holds(Entry wanted) {
        Entry here = index.get(wanted.key());
        if (here == null || wanted.isNewerThan(here) || leaving.contains(wanted.key())) {
            return false;
        }
        promisedNanos.put(wanted.key(), System.nanoTime());
        return true;
    }

    /**
     * Takes in an entry; a file's content follows.
     *
     * @param first true if it is a caller's, and not a copy of what others have
     */
    Intake take(Entry entry, boolean first) throws IOException {
        if (leaving.contains(entry.key())) {
            throw new Failure("it is just being given away here: " + entry.key());
        }
        if (usedBytes.addAndGet(entry.sizeBytes()) > quotaBytes) {
            usedBytes.addAndGet(-entry.sizeBytes());
            throw new Failure("the peer is full: " + Figures.bytes(entry.sizeBytes()) + " do not fit into its "
                    + Figures.bytes(quotaBytes));
        }
        Path file = folder.resolve(entry.key() + "." + coming.incrementAndGet() + ".coming");
        try {
            return new Intake(this, entry, first, file);
        } catch (IOException e) {
            release(entry.sizeBytes());
            throw e;
        }
    }

    void release(long bytes) {
        usedBytes.addAndGet(-bytes);
    }

    /** Puts what has come into its place, unless something newer is there by now. */
    synchronized void place(Entry entry, boolean first, Path file) throws IOException {
        if (first) {
            refuseTaken(entry);
        }
        Entry here = index.get(entry.key());
        if (here != null && !entry.isNewerThan(here)) {
            Files.deleteIfExists(file);
            release(entry.sizeBytes());
        } else {
            Files.move(file, path(entry.key()), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            sync();
            index.put(entry);
            release(here == null ? 0 : here.sizeBytes());
        }
        promisedNanos.put(entry.key(), System.nanoTime());
    }

    private void sync() throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private Path path(Id key) {
        return folder.resolve(key.toString());
    }

    /** Opens a file that is here. */
    Copy read(Id key) throws IOException {
        Entry here = index.get(key);
        if (here == null || !here.isFile()) {
            throw new Failure("it is not here: " + key);
        }
        return Copy.open(path(key));
    }

    /** A copy turned out to be damaged: others have it, or nobody. It is set aside, and counts as not here. */
    synchronized void setAside(Id key) throws IOException {
        Entry here = index.remove(key);
        if (here != null) {
            release(here.sizeBytes());
            Files.move(path(key), folder.resolve(key + ".damaged"), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** From now on these are not here, for those who ask. Those that somebody was promised are not among the result. */
    synchronized List<Entry> leaving(List<Entry> all) {
        long now = System.nanoTime();
        promisedNanos.values().removeIf(since -> now - since > PROMISE_NANOS);
        List<Entry> may = new ArrayList<>();
        for (Entry entry : all) {
            if (!promisedNanos.containsKey(entry.key())) {
                leaving.add(entry.key());
                may.add(entry);
            }
        }
        return may;
    }

    synchronized void staying(List<Entry> all) {
        all.forEach(entry -> leaving.remove(entry.key()));
    }

    /** Drops a copy that others have promised to keep. */
    synchronized void drop(Entry entry) throws IOException {
        if (leaving.contains(entry.key()) && entry.equals(index.get(entry.key()))) {
            index.remove(entry.key());
            release(entry.sizeBytes());
            Files.deleteIfExists(path(entry.key()));
        }
    }

    static DataInputStream stream(FileChannel channel) {
        return new DataInputStream(new java.io.BufferedInputStream(Channels.newInputStream(channel), 1 << 17));
    }
}
