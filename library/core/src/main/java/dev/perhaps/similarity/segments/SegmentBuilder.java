package dev.perhaps.similarity.segments;

import dev.perhaps.similarity.search.RadixSort;
import java.util.Arrays;
import java.util.IdentityHashMap;

/** Sorts additions into a segment of an index. Not thread-safe. */
final class SegmentBuilder {
    private final Addition[] batch;
    private final long seed;
    private final IndexShape shape;
    private final long[] words;
    /** Where each set starts; documents with one content share the array. */
    private final IdentityHashMap<long[], Long> setStarts = new IdentityHashMap<>();

    SegmentBuilder(Addition[] batch, int components, int rows, boolean exact, long seed) {
        this.batch = batch;
        this.seed = seed;
        long nameBytes = 0;
        long setWords = 0;
        for (Addition each : batch) {
            nameBytes += each.name.length;
            if (exact && setStarts.putIfAbsent(each.set, setWords) == null) {
                setWords += 1 + each.set.length;
            }
        }
        this.shape = new IndexShape(components, rows, exact, batch.length, nameBytes, setWords);
        this.words = new long[SegmentWeaver.checkedLength(shape)];
    }

    IndexSegment build() {
        long nameEnd = 0;
        for (int i = 0; i < batch.length; i++) {
            Addition each = batch[i];
            words[i] = each.state;
            words[(int) shape.fingerprintsAt() + 2 * i] = each.high;
            words[(int) shape.fingerprintsAt() + 2 * i + 1] = each.low;
            words[(int) shape.lengthsAt() + i] = each.length;
            for (byte b : each.name) {
                words[(int) (shape.namesAt() + (nameEnd >>> 3))] |= (b & 0xFFL) << 8 * (nameEnd & 7);
                nameEnd++;
            }
            words[(int) shape.nameEndsAt() + i] = nameEnd;
            int at = (int) shape.signaturesAt() + i * shape.signatureWords();
            System.arraycopy(each.signature, 0, words, at, shape.signatureWords());
            if (shape.exact()) {
                words[(int) shape.setStartsAt() + i] = setStarts.getOrDefault(each.set, 0L);
            }
        }
        setStarts.forEach((set, start) -> {
            int at = (int) (shape.setsAt() + start);
            words[at] = set.length;
            System.arraycopy(set, 0, words, at + 1, set.length);
        });
        IndexSegment segment = new IndexSegment(shape, new WordArray.Heap(words), seed);
        for (int order = 0; order < shape.orders(); order++) {
            sort(segment, order);
        }
        return segment;
    }

    private void sort(IndexSegment segment, int order) {
        RadixSort sort = new RadixSort(batch.length);
        for (int i = 0; i < batch.length; i++) {
            sort.keys()[i] = key(order, batch[i]);
            sort.values()[i] = i;
        }
        sort.sort();
        int[] documents = sort.values();
        if (order < shape.bands()) {
            sort.forEachRun((from, to) -> {
                if (to - from > 1) {
                    sortTies(segment, order, documents, from, to);
                }
            });
        }
        for (int place = 0; place < documents.length; place++) {
            words[(int) shape.ordersAt(order) + (place >>> 1)] |= (long) documents[place] << 32 * (place & 1);
        }
    }

    private long key(int order, Addition addition) {
        if (order == shape.byFingerprint()) {
            return addition.high;
        }
        return order == shape.byName()
                ? addition.nameKey
                : IndexSegment.bandKey(addition.signature, order, shape.rows());
    }

    /** Equal signatures stay in the order of their numbers. */
    private void sortTies(IndexSegment segment, int band, int[] documents, int from, int to) {
        Integer[] boxed = new Integer[to - from];
        Arrays.setAll(boxed, i -> documents[from + i]);
        Arrays.sort(boxed, (a, b) -> segment.compareTies(band, a, batch[b].signature));
        for (int i = 0; i < boxed.length; i++) {
            documents[from + i] = boxed[i];
        }
    }
}
