package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.wire.BadFrame;
import dev.perhaps.chord.wire.FrameReadBuffer;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.web.SafeText;

/**
 * The entry of a key: a file, a name for a file, or the mark that one of them was deleted.
 *
 * @param key its place on the ring: the first 160 bits of the SHA-256 of the file, or of the name
 * @param name the name; empty for a file
 * @param target the id of the file that the name is for; for a file, its key
 * @param generation 1 at first, and one more each time it is put again after it was deleted
 * @param live false if it was deleted
 * @param sizeBytes the size of the file; 0 for a name
 * @param replicas the number of hosts that should have it
 */
public record StoreEntry(Id key, String name, Id target, long generation, boolean live, long sizeBytes, int replicas) {
    /*
     * Entries of one key are ordered, and of two the newer is kept, wherever they meet: a higher generation; in one
     * generation, deleted before live. No clock is asked. Two writers that gave one name to different files in the same
     * generation cannot both have been told that it is theirs; whichever is left over, the lower target is kept everywhere.
     * Of entries that are the same otherwise, the one with more copies.
     */
    /** The largest length of a name, in bytes of UTF-8. */
    public static final int MAX_NAME_BYTES = FrameReadBuffer.MAX_NAME_BYTES;

    static final int MAX_REPLICAS = 16;

    /** The place of a name on the ring. */
    public static Id keyOf(String name) {
        return Id.hashOf("name\n" + name);
    }

    static StoreEntry file(Id key, long generation, long sizeBytes, int replicas) {
        return new StoreEntry(key, "", key, generation, true, sizeBytes, replicas);
    }

    static StoreEntry name(String name, Id target, long generation, int replicas) {
        return new StoreEntry(keyOf(name), name, target, generation, true, 0, replicas);
    }

    /** Returns true if it is the name of a file, or the deletion mark of a name. */
    public boolean isName() {
        return !name.isEmpty();
    }

    /** True for a file that is not deleted. */
    public boolean isFile() {
        return live && !isName();
    }

    StoreEntry deleted() {
        return new StoreEntry(key, name, target, generation, false, 0, replicas);
    }

    boolean isNewerThan(StoreEntry other) {
        if (generation != other.generation) {
            return generation > other.generation;
        }
        if (live != other.live) {
            return !live;
        }
        int byTarget = target.compareTo(other.target);
        return byTarget < 0 || byTarget == 0 && replicas > other.replicas;
    }

    void write(FrameWriteBuffer body) {
        body.id(key)
                .text(name)
                .id(target)
                .i64(generation)
                .flag(live)
                .i64(sizeBytes)
                .u8(replicas);
    }

    static StoreEntry read(FrameReadBuffer body) throws BadFrame {
        Id key = body.id();
        String name = body.text(MAX_NAME_BYTES);
        Id target = body.id();
        long generation = body.generation();
        boolean live = body.flag();
        StoreEntry entry = new StoreEntry(key, name, target, generation, live, body.fileBytes(), replicas(body));
        if (!(name.isEmpty() ? key.equals(target) : key.equals(keyOf(name)))
                || entry.sizeBytes > 0 && !entry.isFile()) {
            throw new BadFrame("invalid entry: " + SafeText.of(entry.toString()));
        }
        return entry;
    }

    /** A number of copies. */
    static int replicas(FrameReadBuffer body) throws BadFrame {
        int replicas = body.atMost(MAX_REPLICAS, body.u8());
        if (replicas < 1) {
            throw new BadFrame("replicas must be at least 1, got " + replicas);
        }
        return replicas;
    }
}
