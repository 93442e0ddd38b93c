package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.net.BadFrame;
import dev.perhaps.chord.net.BodyReader;
import dev.perhaps.chord.net.BodyWriter;
import dev.perhaps.chord.net.Printable;

/**
 * What is known of a key: a file, a name for a file, or that one of them was deleted.
 *
 * @param key its place on the ring: the first 160 bits of the SHA-256 of the file, or of the name
 * @param name the name; empty for a file
 * @param target the file that is meant; for a file, its key
 * @param generation 1 at first, and one more each time it is put again after it was deleted
 * @param live false if it was deleted
 * @param sizeBytes of the file; 0 for a name
 * @param replicas how many hosts are to have it
 */
public record Entry(Id key, String name, Id target, long generation, boolean live, long sizeBytes, int replicas) {
    /*
     * Entries of one key are ordered, and of two the newer is kept, wherever they meet: a higher generation; in one
     * generation, deleted before live. No clock is asked. Two writers that gave one name to different files in the same
     * generation cannot both have been told that it is theirs; whichever is left over, the lower target is kept everywhere.
     * Of entries that are the same otherwise, the one with more copies.
     */
    public static final int MOST_NAME_BYTES = BodyReader.MAX_NAME_BYTES;

    static final int MOST_REPLICAS = 16;

    /** The place of a name on the ring. */
    public static Id keyOf(String name) {
        return Id.hashOf("name\n" + name);
    }

    static Entry file(Id key, long generation, long sizeBytes, int replicas) {
        return new Entry(key, "", key, generation, true, sizeBytes, replicas);
    }

    static Entry name(String name, Id target, long generation, int replicas) {
        return new Entry(keyOf(name), name, target, generation, true, 0, replicas);
    }

    public boolean isName() {
        return !name.isEmpty();
    }

    /** True for a file that is not deleted. */
    public boolean isFile() {
        return live && !isName();
    }

    Entry deleted() {
        return new Entry(key, name, target, generation, false, 0, replicas);
    }

    boolean isNewerThan(Entry other) {
        if (generation != other.generation) {
            return generation > other.generation;
        }
        if (live != other.live) {
            return !live;
        }
        int byTarget = target.compareTo(other.target);
        return byTarget < 0 || byTarget == 0 && replicas > other.replicas;
    }

    void write(BodyWriter body) {
        body.id(key)
                .text(name)
                .id(target)
                .i64(generation)
                .flag(live)
                .i64(sizeBytes)
                .u8(replicas);
    }

    static Entry read(BodyReader body) throws BadFrame {
        Id key = body.id();
        String name = body.text(MOST_NAME_BYTES);
        Id target = body.id();
        long generation = body.generation();
        boolean live = body.flag();
        Entry entry = new Entry(key, name, target, generation, live, body.fileBytes(), replicas(body));
        if (!(name.isEmpty() ? key.equals(target) : key.equals(keyOf(name)))
                || entry.sizeBytes > 0 && !entry.isFile()) {
            throw new BadFrame("there is no such entry: " + Printable.of(entry.toString()));
        }
        return entry;
    }

    /** A number of copies. */
    static int replicas(BodyReader body) throws BadFrame {
        int replicas = body.atMost(MOST_REPLICAS, body.u8());
        if (replicas < 1) {
            throw new BadFrame("there is one copy at least, got " + replicas);
        }
        return replicas;
    }
}
