package dev.perhaps.similarity.segments;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The view of a reader of an index: sorted segments, followed by the latest additions. Documents are numbered
 * consecutively; a number stays the same until the index is saved. Only states change, and additions are appended.
 */
public final class Snapshot {
    public static final int TAIL = 256;
    public static final int NONE = -1;
    public static final long KEPT = 1L << 32;
    public static final long REMOVED = 1L << 33;

    private static final long CLUSTER = 0xFFFFFFFFL;

    public final List<IndexSegment> segments;
    /** Where each segment's numbers start, and where those of the tail do. */
    private final int[] starts;

    private final Addition[] tail;
    private volatile int tailCount;

    public Snapshot(List<IndexSegment> segments, int tailPlaces) {
        this.segments = List.copyOf(segments);
        this.starts = new int[segments.size() + 1];
        for (int i = 0; i < segments.size(); i++) {
            starts[i + 1] = Math.addExact(starts[i], segments.get(i).documents());
        }
        this.tail = new Addition[tailPlaces];
    }

    /** Documents, removed ones too. */
    public int documents() {
        return starts[segments.size()] + tailCount;
    }

    public boolean isFull() {
        return tailCount == tail.length;
    }

    /** A reader sees the new count only after what it counts. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    public void append(Addition addition) {
        tail[tailCount] = addition;
        tailCount++;
    }

    public Addition[] additions() {
        return Arrays.copyOf(tail, tailCount);
    }

    /** The segment that a number is in, or as many as there are segments if it is in the tail. */
    public int part(int number) {
        int part = 0;
        while (part < segments.size() && number >= starts[part + 1]) {
            part++;
        }
        return part;
    }

    public int start(int part) {
        return starts[part];
    }

    private boolean inTail(int part) {
        return part == segments.size();
    }

    public long state(int number) {
        int part = part(number);
        int document = number - starts[part];
        return inTail(part) ? tail[document].state : segments.get(part).state(document);
    }

    public void state(int number, long state) {
        int part = part(number);
        int document = number - starts[part];
        if (inTail(part)) {
            tail[document].state = state;
        } else {
            segments.get(part).state(document, state);
        }
    }

    public static int cluster(long state) {
        return (int) (state & CLUSTER);
    }

    public static long inCluster(long state, int number) {
        return state & ~CLUSTER | number;
    }

    public boolean isLiving(int number) {
        return (state(number) & REMOVED) == 0;
    }

    public boolean isKept(int number) {
        return (state(number) & KEPT) != 0;
    }

    /** The document that a cluster is known by. Clusters that were joined point on to it. */
    public int root(int number) {
        int at = number;
        for (int steps = documents(); steps >= 0; steps--) {
            int next = cluster(state(at));
            if (next == at) {
                return at;
            }
            if (next < 0 || next >= documents()) {
                break;
            }
            at = next;
        }
        throw new IllegalStateException("the index is damaged: verify() it, and build it again");
    }

    public byte[] utf8(int number) {
        int part = part(number);
        int document = number - starts[part];
        return inTail(part) ? tail[document].name : segments.get(part).utf8(document);
    }

    public long length(int number) {
        int part = part(number);
        int document = number - starts[part];
        return inTail(part) ? tail[document].length : segments.get(part).length(document);
    }

    public long high(int number) {
        int part = part(number);
        int document = number - starts[part];
        return inTail(part) ? tail[document].high : segments.get(part).high(document);
    }

    public long low(int number) {
        int part = part(number);
        int document = number - starts[part];
        return inTail(part) ? tail[document].low : segments.get(part).low(document);
    }

    public void signature(int number, long[] into) {
        int part = part(number);
        int document = number - starts[part];
        if (inTail(part)) {
            System.arraycopy(tail[document].signature, 0, into, 0, into.length);
        } else {
            segments.get(part).signature(document, into);
        }
    }

    public long[] set(int number) {
        int part = part(number);
        int document = number - starts[part];
        return inTail(part) ? tail[document].set : segments.get(part).set(document);
    }

    /** The number of hashes of a document's set. */
    public long setSize(int number) {
        int part = part(number);
        int document = number - starts[part];
        if (inTail(part)) {
            return tail[document].set.length;
        }
        IndexSegment segment = segments.get(part);
        return segment.setSize(segment.setStart(document));
    }

    /** The number of the document with this name, or {@link #NONE}. */
    public int named(byte[] name, long key) {
        int count = tailCount;
        for (int i = 0; i < count; i++) {
            if (tail[i].nameKey == key && Arrays.equals(tail[i].name, name) && isLiving(starts[segments.size()] + i)) {
                return starts[segments.size()] + i;
            }
        }
        for (int part = segments.size() - 1; part >= 0; part--) {
            IndexSegment segment = segments.get(part);
            int order = segment.shape.byName();
            for (int at = segment.firstPlace(order, key); at < segment.documents(); at++) {
                int document = segment.at(order, at);
                if (segment.key(order, document) != key) {
                    break;
                }
                if (isLiving(starts[part] + document) && Arrays.equals(segment.utf8(document), name)) {
                    return starts[part] + document;
                }
            }
        }
        return NONE;
    }

    /** The first document with this fingerprint, or {@link #NONE}. */
    public int fingerprinted(long high, long low) {
        if (high == 0 && low == 0) {
            return NONE;
        }
        for (int part = 0; part < segments.size(); part++) {
            IndexSegment segment = segments.get(part);
            int order = segment.shape.byFingerprint();
            for (int at = segment.firstPlace(order, high); at < segment.documents(); at++) {
                int document = segment.at(order, at);
                if (segment.high(document) != high) {
                    break;
                }
                if (segment.low(document) == low && isLiving(starts[part] + document)) {
                    return starts[part] + document;
                }
            }
        }
        int count = tailCount;
        for (int i = 0; i < count; i++) {
            if (tail[i].high == high && tail[i].low == low && isLiving(starts[segments.size()] + i)) {
                return starts[segments.size()] + i;
            }
        }
        return NONE;
    }

    /** Numbers of the documents that share a band with a signature, those removed since too. */
    public int[] sharingABand(long[] signature, int bands, int rows, Neighbours into) {
        for (int part = 0; part < segments.size(); part++) {
            into.take(segments.get(part), starts[part], signature);
        }
        int count = tailCount;
        for (int i = 0; i < count; i++) {
            if (shareABand(signature, tail[i].signature, bands, rows)) {
                into.take(starts[segments.size()] + i);
            }
        }
        into.compared((long) count * bands);
        return into.all();
    }

    private static boolean shareABand(long[] a, long[] b, int bands, int rows) {
        for (int band = 0; band < bands; band++) {
            int row = band * rows;
            int end = row + rows;
            while (row < end && IndexShape.component(a[row / 4] ^ b[row / 4], row) == 0) {
                row++;
            }
            if (row == end) {
                return true;
            }
        }
        return false;
    }

    /** The segments, with the tail as the last one. */
    public List<IndexSegment> sorted(int components, int rows, boolean exact, long seed) {
        List<IndexSegment> all = new ArrayList<>(segments);
        Addition[] latest = additions();
        if (latest.length > 0) {
            all.add(Addition.sorted(latest, components, rows, exact, seed));
        }
        return all;
    }
}
