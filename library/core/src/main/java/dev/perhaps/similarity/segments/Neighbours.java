package dev.perhaps.similarity.segments;

import java.util.Arrays;
import java.util.function.LongConsumer;

/** The documents of an index that share a band with a signature, by number. Not thread-safe. */
public final class Neighbours {
    /*
     * A bucket of up to WHOLE documents is taken whole. Of a larger one (a template that thousands share, or thousands
     * of copies) the signatures next to ours are taken, SIDE to either side, and of the documents with one signature
     * the first SAME: what a query costs does not depend on how many share a bucket. Segments count their buckets on
     * their own.
     *
     * One of 1,000 variants of a text meets most of them in some band: the larger its bucket, the more of its matches
     * are there. With buckets of 64 a query found 83 % of them.
     */
    public static final int WHOLE = 1 << 11;
    /** Those that are taken of a larger bucket, on either side. */
    public static final int SIDE = 1 << 9;

    private static final int SAME = 8;

    /** The steps of taking one, with its share of sorting them. */
    private static final int TAKE_STEPS = 4;

    private int[] found = new int[64];
    private int count;
    private final LongConsumer work;
    private long steps;

    public Neighbours() {
        this(any -> {});
    }

    /** Tells {@code work} the steps of each band after it was read; it may throw to end that. */
    public Neighbours(LongConsumer work) {
        this.work = work;
    }

    /** Takes those of a segment whose first document has this number. */
    void take(IndexSegment segment, int firstNumber, long[] signature) {
        IndexShape shape = segment.shape;
        for (int band = 0; band < shape.bands(); band++) {
            steps = 2L * places(segment.documents());
            long key = IndexSegment.bandKey(signature, band, shape.rows());
            int from = segment.firstPlace(band, key);
            int to = from;
            while (to < segment.documents() && to - from <= WHOLE && segment.key(band, segment.at(band, to)) == key) {
                to++;
            }
            if (to - from <= WHOLE) {
                take(segment, firstNumber, band, from, to);
            } else {
                int end = key == -1 ? segment.documents() : segment.firstPlace(band, key + 1);
                takeAround(segment, firstNumber, band, from, end, signature);
            }
            work.accept(steps);
        }
    }

    /** Says that this number of bands of documents were compared, most of which differ at once. */
    void compared(long bands) {
        work.accept(bands / 2);
    }

    /** The number of places that a binary search looks at. */
    private static int places(int documents) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(documents);
    }

    /** Takes one by its number. */
    void take(int number) {
        if (count == found.length) {
            // A document may share every band: its repetitions must not take memory.
            dropRepetitions();
            if (count > found.length / 2) {
                found = Arrays.copyOf(found, 2 * found.length);
            }
        }
        found[count++] = number;
        steps += TAKE_STEPS;
    }

    private void take(IndexSegment segment, int firstNumber, int band, int from, int to) {
        for (int place = from; place < to; place++) {
            take(firstNumber + segment.at(band, place));
        }
    }

    private void takeAround(IndexSegment segment, int firstNumber, int band, int from, int to, long[] signature) {
        long[] next = new long[signature.length];
        int middle = place(segment, band, from, to, signature, false);
        for (int place = middle, side = 0; place < to && side < SIDE; side++) {
            segment.signature(segment.at(band, place), next);
            steps += (long) signature.length * places(to - place);
            int end = place(segment, band, place, to, next, true);
            take(segment, firstNumber, band, place, Math.min(end, place + SAME));
            place = end;
        }
        for (int place = middle, side = 0; place > from && side < SIDE; side++) {
            segment.signature(segment.at(band, place - 1), next);
            steps += (long) signature.length * places(place - from);
            int start = place(segment, band, from, place, next, false);
            take(segment, firstNumber, band, start, Math.min(place, start + SAME));
            place = start;
        }
    }

    /**
     * The first place of a bucket with a signature that comes not before this one, or, {@code after}, only behind it.
     */
    private static int place(IndexSegment segment, int band, int from, int to, long[] signature, boolean after) {
        int low = from;
        int high = to;
        while (low < high) {
            int middle = low + high >>> 1;
            int order = segment.compareTies(band, segment.at(band, middle), signature);
            if (order < 0 || after && order == 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void dropRepetitions() {
        Arrays.sort(found, 0, count);
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (kept == 0 || found[kept - 1] != found[i]) {
                found[kept++] = found[i];
            }
        }
        count = kept;
    }

    /** All that were taken, each once, ascending; the next starts with none. */
    int[] all() {
        dropRepetitions();
        int[] all = Arrays.copyOf(found, count);
        count = 0;
        return all;
    }
}
