package dev.perhaps.similarity.segments;

import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import java.nio.charset.StandardCharsets;

/**
 * A part of an index that is sorted already: documents 0 … n − 1, and for each band their numbers in the order of the
 * band's key. Only states change; safe for one writer of states and any number of readers.
 */
public final class IndexSegment {
    /*
     * A key is not stored: it is computed again from the document's signature, so a band costs 4 bytes per document.
     * Keys are spread evenly, so a search guesses the place and is off by √m of m; it asks that far below and above the
     * guess in turn, and halves what is left: 10 keys of a million instead of 20.
     *
     * Documents with one key are ordered by the components that follow the band, around to the first, then by number.
     * So of a bucket that thousands share, those that resemble a signature most stand around its place.
     */
    private static final int NARROW = 32;
    private static final int GUESSES = 12;
    private static final double KEYS = 0x1p64;
    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    public final IndexShape shape;
    private final WordArray words;
    private final Key.Bytes names;

    public IndexSegment(IndexShape shape, WordArray words, long seed) {
        this.shape = shape;
        this.words = words;
        this.names = names(seed);
    }

    public int documents() {
        return (int) shape.documents();
    }

    public long state(int document) {
        return words.fresh(document);
    }

    /** Only of a segment on the heap. */
    public void state(int document, long state) {
        ((WordArray.Heap) words).set(document, state);
    }

    long high(int document) {
        return words.get(shape.fingerprintsAt() + 2L * document);
    }

    long low(int document) {
        return words.get(shape.fingerprintsAt() + 2L * document + 1);
    }

    public long length(int document) {
        return words.get(shape.lengthsAt() + document);
    }

    public long nameEnd(int document) {
        return document < 0 ? 0 : words.get(shape.nameEndsAt() + document);
    }

    public byte[] utf8(int document) {
        long from = nameEnd(document - 1);
        long length = nameEnd(document) - from;
        boolean possible = from >= 0 && length >= 0 && length <= IndexShape.MAX_NAME_BYTES;
        if (!possible || from > shape.nameBytes() - length) {
            throw damaged();
        }
        byte[] utf8 = new byte[(int) length];
        for (int i = 0; i < utf8.length; i++) {
            long at = from + i;
            utf8[i] = (byte) (words.get(shape.namesAt() + (at >>> 3)) >>> 8 * (at & 7));
        }
        return utf8;
    }

    public String name(int document) {
        return new String(utf8(document), StandardCharsets.UTF_8);
    }

    void signature(int document, long[] into) {
        long at = shape.signaturesAt() + (long) document * into.length;
        for (int i = 0; i < into.length; i++) {
            into[i] = words.get(at + i);
        }
    }

    private int component(int document, int i) {
        long at = shape.signaturesAt() + (long) document * shape.signatureWords();
        return IndexShape.component(words.get(at + i / 4), i);
    }

    /** Where the document's set stands among the sets. */
    public long setStart(int document) {
        return words.get(shape.setStartsAt() + document);
    }

    /** Hashes of the set that starts there; −1 if there cannot be one. */
    public long setSize(long start) {
        long most = shape.setWords() - 1 - start;
        long size = start < 0 || most < 0 ? -1 : words.get(shape.setsAt() + start);
        return size <= most ? size : -1;
    }

    public long[] set(int document) {
        long start = setStart(document);
        long size = setSize(start);
        if (size < 0 || size > Integer.MAX_VALUE - 8) {
            throw damaged();
        }
        long[] set = new long[(int) size];
        for (int i = 0; i < set.length; i++) {
            set[i] = words.get(shape.setsAt() + start + 1 + i);
        }
        return set;
    }

    /** What stands at a place of an order: a document, unless the file is damaged. */
    public long place(int order, long place) {
        return words.get(shape.ordersAt(order) + (place >>> 1)) >>> 32 * (place & 1) & 0xFFFFFFFFL;
    }

    /** The document at a place of an order. */
    int at(int order, long place) {
        long document = place(order, place);
        if (document >= shape.documents()) {
            throw damaged();
        }
        return (int) document;
    }

    private static IllegalStateException damaged() {
        return new IllegalStateException("the index is damaged: verify() it, and build it again");
    }

    public long key(int order, int document) {
        if (order == shape.byFingerprint()) {
            return high(document);
        }
        if (order == shape.byName()) {
            return nameKey(utf8(document));
        }
        long key = 0;
        int firstRow = order * shape.rows();
        for (int row = firstRow; row < firstRow + shape.rows(); row++) {
            key = next(key, component(document, row));
        }
        return key;
    }

    /** What names are hashed with in an index whose key has this seed. */
    public static Key.Bytes names(long seed) {
        return Key.bytes().seeded(seed);
    }

    long nameKey(byte[] utf8) {
        return names.hash(utf8, 0, utf8.length);
    }

    /** The key of a band of a signature that was cut. */
    public static long bandKey(long[] signature, int band, int rows) {
        long key = 0;
        for (int row = band * rows; row < (band + 1) * rows; row++) {
            key = next(key, IndexShape.component(signature[row / 4], row));
        }
        return key;
    }

    private static long next(long key, int component) {
        return Mix.finish((key ^ component) + GAMMA);
    }

    /**
     * Of two documents with one key, which comes first; 0 if their signatures are equal, or in the other two orders.
     */
    public int compareTies(int order, int document, IndexSegment other, int otherDocument) {
        if (order >= shape.bands()) {
            return 0;
        }
        long[] signature = new long[shape.signatureWords()];
        other.signature(otherDocument, signature);
        return compareTies(order, document, signature);
    }

    public int compareTies(int band, int document, long[] signature) {
        int components = shape.components();
        int nextRow = (band + 1) * shape.rows();
        for (int i = 0; i < components; i++) {
            int row = (nextRow + i) % components;
            int own = component(document, row);
            int theirs = IndexShape.component(signature[row / 4], row);
            if (own != theirs) {
                return Integer.compare(own, theirs);
            }
        }
        return 0;
    }

    /** The first place of an order whose key is not below this one. */
    int firstPlace(int order, long key) {
        int low = 0;
        int high = documents();
        double lowKey = 0;
        double highKey = KEYS;
        double wanted = unsigned(key);
        for (int guess = 0; low < high; guess++) {
            int middle = low + high >>> 1;
            int width = high - low;
            if (width > NARROW && guess < GUESSES) {
                double share = highKey > lowKey ? (wanted - lowKey) / (highKey - lowKey) : 0.5;
                double off = (guess & 1) == 0 ? -Math.sqrt(width) : Math.sqrt(width);
                middle = low + (int) Math.max(0, Math.min(width - 1, share * width + off));
            }
            long found = key(order, at(order, middle));
            if (Long.compareUnsigned(found, key) < 0) {
                low = middle + 1;
                lowKey = unsigned(found);
            } else {
                high = middle;
                highKey = unsigned(found);
            }
        }
        return low;
    }

    private static double unsigned(long key) {
        return (double) (key >>> 1) * 2;
    }
}
