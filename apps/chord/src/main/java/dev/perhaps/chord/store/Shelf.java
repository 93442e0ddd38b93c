package dev.perhaps.chord.store;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.io.Figures;
import dev.perhaps.web.PrivateFiles;
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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The entries that one peer has on disk, one file per entry. Thread-safe. */
final class Shelf {
    /*
     *     DIR/shelf/<id>              the entry, and behind it the file in chunks of 64 KiB, each with its CRC-32C
     *     DIR/shelf/<id>.<n>.coming   not yet whole: thrown away at the next start
     *     DIR/shelf/<id>.damaged      what the disk gave back of it is not what was written; until there is a good one
     *     DIR/shelf/<id>.doubtful     set aside, because it may have been deleted while nobody counted on this peer
     *
     * A file is checked against its id, forced to disk and renamed into its place, so whatever stands there is whole. All
     * changes of the index are made under one lock, which is held for a rename, never for a transfer.
     *
     * Dropping a copy that others are to have is the dangerous step: two peers that each drop because the other has it
     * lose it. So a peer first says to itself that the key is leaving, and from then on does not claim to have it; then
     * it asks the others, and each peer that claims to have it promises to keep it for a while; only then does it drop
     * its copy.
     *
     * Everything counts against the quota as it does on a disk, in blocks, a name or a mark as one: else a million names would
     * be free. What takes the place of something no smaller is never refused, for a peer that is full must be able to delete.
     */
    static final int CHUNK_BYTES = 1 << 16;

    /** What an entry takes at least, and in multiples of which it is counted. */
    static final int BLOCK_BYTES = 4_096;

    private static final String DAMAGED = ".damaged";
    private static final String DOUBTFUL = ".doubtful";

    private final Path folder;
    private final long quotaBytes;
    private final long promiseNanos;
    private final EntryIndex index = new EntryIndex();
    private final Map<Id, Long> promisedNanos = new ConcurrentHashMap<>();
    private final Set<Id> leaving = ConcurrentHashMap.newKeySet();
    private final Set<Id> damaged = ConcurrentHashMap.newKeySet();
    private final Map<Id, StoreEntry> doubtful = new ConcurrentHashMap<>();
    private final Map<Id, Long> markedNanos = new ConcurrentHashMap<>();
    private final Map<Id, Integer> underWay = new ConcurrentHashMap<>();
    private final AtomicLong usedBytes = new AtomicLong();
    private final AtomicLong blockBytes = new AtomicLong();
    private final AtomicLong coming = new AtomicLong();
    private volatile boolean isClosing;

    private Shelf(Path folder, long quotaBytes, long promiseNanos) {
        this.folder = folder;
        this.quotaBytes = quotaBytes;
        this.promiseNanos = promiseNanos;
    }

    /**
     * Opens what is in a folder; makes it if it is not there.
     *
     * @param promiseMillis how long a promise to keep an entry holds; who relies on it does so for a third of that time
     */
    static Shelf open(Path folder, long quotaBytes, long promiseMillis, Consumer<String> log) throws IOException {
        PrivateFiles.ownFolder(folder);
        Shelf shelf = new Shelf(folder, quotaBytes, TimeUnit.MILLISECONDS.toNanos(promiseMillis));
        List<Path> all;
        try (var files = Files.list(folder)) {
            all = files.toList();
        }
        for (Path file : all) {
            String name = String.valueOf(file.getFileName());
            if (name.endsWith(".coming")) {
                Files.delete(file);
            } else if (name.length() == Id.DIGITS) {
                shelf.load(file, name, log);
            } else if (name.length() == Id.DIGITS + DOUBTFUL.length() && name.endsWith(DOUBTFUL)) {
                shelf.load(file, name, log);
            } else if (name.length() == Id.DIGITS + DAMAGED.length() && name.endsWith(DAMAGED)) {
                shelf.loadDamaged(file, name, log);
            }
        }
        return shelf;
    }

    private void load(Path file, String name, Consumer<String> log) {
        try (StoredCopy copy = StoredCopy.open(file)) {
            StoreEntry entry = copy.entry();
            if (!entry.key().equals(Id.fromHex(name.substring(0, Id.DIGITS))) || Files.size(file) != copy.fileBytes()) {
                throw new IOException("it is incomplete");
            }
            reserve(entry);
            if (name.endsWith(DOUBTFUL)) {
                doubtful.put(entry.key(), entry);
            } else {
                index.put(entry);
                noteMark(entry);
            }
        } catch (IOException | IllegalArgumentException e) {
            log.accept(file + " is ignored: " + e.getMessage());
        }
    }

    private void loadDamaged(Path file, String name, Consumer<String> log) {
        try {
            damaged.add(Id.fromHex(name.substring(0, Id.DIGITS)));
        } catch (IllegalArgumentException e) {
            log.accept(file + " is ignored: " + e.getMessage());
        }
    }

    @Nullable
    StoreEntry get(Id key) {
        return index.get(key);
    }

    Collection<StoreEntry> all() {
        return index.all();
    }

    EntryIndex index() {
        return index;
    }

    long files() {
        return index.all().stream().filter(StoreEntry::isFile).count();
    }

    /** Of the content of files. */
    long usedBytes() {
        return usedBytes.get();
    }

    /** Of everything, in blocks: what counts against the quota. */
    long blockBytes() {
        return blockBytes.get();
    }

    /** Refuses a name that is in use for another file. */
    synchronized void refuseTaken(StoreEntry entry) throws Failure {
        StoreEntry here = index.get(entry.key());
        if (entry.isName()
                && entry.live()
                && here != null
                && here.live()
                && here.generation() >= entry.generation()
                && !here.target().equals(entry.target())) {
            throw new Failure("the name '" + entry.name() + "' is taken by " + here.target() + ": delete it first");
        }
    }

    /** Returns true if nothing has to be sent: this entry or a newer one is here, and will stay for a while. */
    synchronized boolean holds(StoreEntry wanted) {
        if (isClosing) {
            return false;
        }
        StoreEntry aside = doubtful.get(wanted.key());
        if (aside != null && !wanted.isNewerThan(aside) && !aside.isNewerThan(wanted)) {
            restore(aside);
        }
        StoreEntry here = index.get(wanted.key());
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
    Intake take(StoreEntry entry, boolean first) throws IOException {
        if (leaving.contains(entry.key())) {
            throw new Failure("this peer is handing over its copy: " + entry.key());
        }
        StoreEntry here = index.get(entry.key());
        if (isClosing && !(first && !entry.live() && here != null)) {
            throw new Failure("this peer is leaving and accepts only deletions of what it has");
        }
        long freeBytes = folder.toFile().getUsableSpace();
        if (entry.sizeBytes() > freeBytes) {
            throw new Failure("the disk of the peer is full: " + Figures.bytes(entry.sizeBytes())
                    + " do not fit into the " + Figures.bytes(freeBytes) + " that are free");
        }
        boolean grows = here == null || blockBytes(entry) > blockBytes(here);
        if (reserve(entry) > quotaBytes && grows) {
            release(entry);
            throw new Failure("the peer is full: " + Figures.bytes(Math.max(entry.sizeBytes(), BLOCK_BYTES))
                    + " do not fit into its quota of " + Figures.bytes(quotaBytes));
        }
        Path file = folder.resolve(entry.key() + "." + coming.incrementAndGet() + ".coming");
        underWay(entry.key(), 1);
        try {
            return new Intake(this, entry, first, file);
        } catch (IOException e) {
            underWay(entry.key(), -1);
            release(entry);
            throw e;
        }
    }

    /** An intake begins, or ends. */
    void underWay(Id key, int more) {
        underWay.merge(key, more, (a, b) -> a + b == 0 ? null : a + b);
    }

    private static long blockBytes(StoreEntry entry) {
        return Math.max(1, (entry.sizeBytes() + BLOCK_BYTES - 1) / BLOCK_BYTES) * BLOCK_BYTES;
    }

    /** Counts an entry, and returns how much there is now. */
    @CanIgnoreReturnValue
    private long reserve(StoreEntry entry) {
        usedBytes.addAndGet(entry.sizeBytes());
        return blockBytes.addAndGet(blockBytes(entry));
    }

    void release(StoreEntry entry) {
        usedBytes.addAndGet(-entry.sizeBytes());
        blockBytes.addAndGet(-blockBytes(entry));
    }

    /** Stores a received copy, unless there is a newer one by now. */
    synchronized void place(StoreEntry entry, boolean first, Path file) throws IOException {
        if (first) {
            refuseTaken(entry);
        }
        StoreEntry here = index.get(entry.key());
        if (here != null && here.isNewerThan(entry)) {
            Files.deleteIfExists(file);
            release(entry);
        } else {
            Files.move(file, path(entry.key()), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            sync();
            index.put(entry);
            noteMark(entry);
            if (here != null) {
                release(here);
            }
            if (damaged.remove(entry.key())) {
                Files.deleteIfExists(aside(entry.key(), DAMAGED));
            }
            forgetDoubtful(entry.key());
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

    private Path aside(Id key, String why) {
        return folder.resolve(key + why);
    }

    /** Opens a file that is here. */
    StoredCopy read(Id key) throws IOException {
        StoreEntry here = index.get(key);
        if (here == null || !here.isFile()) {
            throw new Failure("there is no copy here: " + key);
        }
        return open(key);
    }

    /** Opens what is on disk of a key, also if it has no content. */
    StoredCopy open(Id key) throws IOException {
        return StoredCopy.open(path(key));
    }

    /** Sets aside a copy that is damaged; it no longer counts as stored here. */
    synchronized void setAside(Id key) throws IOException {
        StoreEntry here = index.remove(key);
        if (here != null) {
            markedNanos.remove(key);
            release(here);
            damaged.add(key);
            if (Files.exists(path(key))) {
                Files.move(path(key), aside(key, DAMAGED), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Returns true if the copy here was damaged, and no intact one was received since. */
    boolean isDamaged(Id key) {
        return damaged.contains(key);
    }

    /** From now on nothing that is here counts, unless others have it too. */
    synchronized void doubtAll() throws IOException {
        for (StoreEntry entry : index.all()) {
            doubt(entry);
        }
        sync();
    }

    private void doubt(StoreEntry entry) throws IOException {
        Files.move(path(entry.key()), aside(entry.key(), DOUBTFUL), StandardCopyOption.REPLACE_EXISTING);
        index.remove(entry.key());
        markedNanos.remove(entry.key());
        doubtful.put(entry.key(), entry);
    }

    List<StoreEntry> doubtful() {
        return doubtful.values().stream()
                .sorted(Comparator.comparing(StoreEntry::key))
                .toList();
    }

    /** Somebody else has it, or it is wanted back whatever has happened: it counts again. */
    synchronized void restore(StoreEntry entry) {
        try {
            if (index.get(entry.key()) == null && doubtful.containsKey(entry.key())) {
                Files.move(aside(entry.key(), DOUBTFUL), path(entry.key()));
                index.put(entry);
                noteMark(entry);
                doubtful.remove(entry.key());
            }
        } catch (IOException e) {
            // It stays where it is, and another copy can come.
            assert doubtful.containsKey(entry.key());
        }
    }

    /** Deletes a doubtful copy, since all responsible peers have it, or there is a newer one. */
    synchronized void forgetDoubtful(Id key) throws IOException {
        StoreEntry aside = doubtful.remove(key);
        if (aside != null) {
            release(aside);
            Files.deleteIfExists(aside(key, DOUBTFUL));
        }
    }

    private void noteMark(StoreEntry entry) {
        if (entry.live()) {
            markedNanos.remove(entry.key());
        } else {
            markedNanos.putIfAbsent(entry.key(), System.nanoTime());
        }
    }

    /** Deletion marks that have been here for at least this time, by a monotonic clock. */
    List<StoreEntry> marks(long nanos) {
        long now = System.nanoTime();
        List<StoreEntry> old = new ArrayList<>();
        markedNanos.forEach((key, since) -> {
            StoreEntry entry = index.get(key);
            if (entry != null && !entry.live() && now - since >= nanos) {
                old.add(entry);
            }
        });
        return old;
    }

    /** Returns true if nothing here could bring back what a mark of this generation deleted. */
    synchronized boolean hasNothingBut(Id key, long generation) {
        StoreEntry here = index.get(key);
        return !underWay.containsKey(key) && (here == null || !here.live() && here.generation() == generation);
    }

    /** Drops a deletion mark that is no longer needed. */
    synchronized void dropMark(Id key, long generation) throws IOException {
        StoreEntry here = index.get(key);
        if (here != null && hasNothingBut(key, generation)) {
            remove(here);
        }
    }

    private void remove(StoreEntry entry) throws IOException {
        index.remove(entry.key());
        markedNanos.remove(entry.key());
        release(entry);
        Files.deleteIfExists(path(entry.key()));
    }

    /** Hides these entries from requests, except those that were promised to a peer. Returns the hidden ones. */
    synchronized List<StoreEntry> leaving(List<StoreEntry> all) {
        long now = System.nanoTime();
        promisedNanos.values().removeIf(since -> now - since > promiseNanos);
        List<StoreEntry> may = new ArrayList<>();
        for (StoreEntry entry : all) {
            if (!promisedNanos.containsKey(entry.key())) {
                leaving.add(entry.key());
                may.add(entry);
            }
        }
        return may;
    }

    /**
     * From now on nothing is taken in but deletions of what is here, for this peer is about to leave: each new entry would
     * keep it for as long as a promise holds.
     */
    void close() {
        isClosing = true;
    }

    boolean isClosing() {
        return isClosing;
    }

    synchronized void staying(List<StoreEntry> all) {
        all.forEach(entry -> leaving.remove(entry.key()));
    }

    /** Drops a copy that others have promised to keep. */
    synchronized void drop(StoreEntry entry) throws IOException {
        if (leaving.contains(entry.key()) && entry.equals(index.get(entry.key()))) {
            remove(entry);
        }
    }

    /** As {@link #drop}, by a peer that leaves: when it comes back, what others still have need not be sent again. */
    synchronized void leave(StoreEntry entry) throws IOException {
        if (leaving.contains(entry.key()) && entry.equals(index.get(entry.key()))) {
            doubt(entry);
        }
    }

    static DataInputStream stream(FileChannel channel) {
        return new DataInputStream(new java.io.BufferedInputStream(Channels.newInputStream(channel), 1 << 17));
    }
}
