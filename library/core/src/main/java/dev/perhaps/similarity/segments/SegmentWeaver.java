package dev.perhaps.similarity.segments;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Joins several consecutive segments to one, part by part, and drops documents that are not wanted. */
public final class SegmentWeaver {
    /** Takes the words of the new segment, one after the other. */
    public interface Sink {
        void put(long word) throws IOException;
    }

    /** The state that a document has in the new segment. */
    public interface States {
        long of(int part, int document);
    }

    private static final int LEFT_OUT = -1;

    private final List<IndexSegment> parts;
    /** For each part the new number of each document. */
    private final int[][] numbers;
    /** For each part where a set stood and where it will stand. */
    private final List<Map<Long, Long>> setStarts = new ArrayList<>();

    private final IndexShape shape;

    /** Whether a document goes into the new segment. */
    public interface Wanted {
        boolean is(int part, int document);
    }

    public SegmentWeaver(List<IndexSegment> parts, IndexShape like, Wanted wanted) {
        this.parts = parts;
        this.numbers = new int[parts.size()][];
        int documents = 0;
        long nameBytes = 0;
        long setWords = 0;
        for (int part = 0; part < numbers.length; part++) {
            IndexSegment segment = parts.get(part);
            Map<Long, Long> starts = new HashMap<>();
            numbers[part] = new int[segment.documents()];
            for (int document = 0; document < segment.documents(); document++) {
                if (!wanted.is(part, document)) {
                    numbers[part][document] = LEFT_OUT;
                    continue;
                }
                numbers[part][document] = documents++;
                nameBytes += segment.nameEnd(document) - segment.nameEnd(document - 1);
                if (like.exact() && starts.putIfAbsent(segment.setStart(document), setWords) == null) {
                    setWords += 1 + segment.setSize(segment.setStart(document));
                }
            }
            setStarts.add(starts);
        }
        this.shape = new IndexShape(like.components(), like.rows(), like.exact(), documents, nameBytes, setWords);
    }

    /** All documents of all parts, in one array. */
    public static IndexSegment joined(List<IndexSegment> parts, long seed) {
        SegmentWeaver weaver = new SegmentWeaver(parts, parts.get(0).shape, (part, document) -> true);
        long[] words = new long[checkedLength(weaver.shape)];
        int[] at = {0};
        try {
            weaver.weave((part, document) -> parts.get(part).state(document), word -> words[at[0]++] = word);
        } catch (IOException e) {
            throw new AssertionError("an array takes every word", e);
        }
        return new IndexSegment(weaver.shape, new WordArray.Heap(words), seed);
    }

    static boolean fitsInMemory(IndexShape shape) {
        return shape.words() <= Integer.MAX_VALUE - 8;
    }

    static int checkedLength(IndexShape shape) {
        if (!fitsInMemory(shape)) {
            throw new IllegalStateException("an index of " + shape.documents()
                    + " documents is more than an array can hold: add them in parts, or index them apart");
        }
        return (int) shape.words();
    }

    public IndexShape shape() {
        return shape;
    }

    /** The number in the new segment of a document that goes into it. */
    public int number(int part, int document) {
        assert numbers[part][document] != LEFT_OUT;
        return numbers[part][document];
    }

    private interface Each {
        void take(IndexSegment segment, int part, int document) throws IOException;
    }

    private void forEach(Each each) throws IOException {
        for (int part = 0; part < numbers.length; part++) {
            for (int document = 0; document < numbers[part].length; document++) {
                if (numbers[part][document] != LEFT_OUT) {
                    each.take(parts.get(part), part, document);
                }
            }
        }
    }

    public void weave(States states, Sink sink) throws IOException {
        forEach((segment, part, document) -> sink.put(states.of(part, document)));
        forEach((segment, part, document) -> {
            sink.put(segment.high(document));
            sink.put(segment.low(document));
        });
        forEach((segment, part, document) -> sink.put(segment.length(document)));
        long[] end = {0};
        forEach((segment, part, document) -> {
            end[0] += segment.nameEnd(document) - segment.nameEnd(document - 1);
            sink.put(end[0]);
        });
        long[] signature = new long[shape.signatureWords()];
        forEach((segment, part, document) -> {
            segment.signature(document, signature);
            for (long word : signature) {
                sink.put(word);
            }
        });
        for (int order = 0; order < shape.orders(); order++) {
            weaveOrder(order, sink);
        }
        if (shape.exact()) {
            forEach((segment, part, document) ->
                    sink.put(setStarts.get(part).getOrDefault(segment.setStart(document), 0L)));
        }
        weaveNames(sink);
        if (shape.exact()) {
            weaveSets(sink);
        }
    }

    private void weaveNames(Sink sink) throws IOException {
        long[] word = {0};
        int[] bytes = {0};
        forEach((segment, part, document) -> {
            for (byte b : segment.utf8(document)) {
                word[0] |= (b & 0xFFL) << 8 * bytes[0];
                if (++bytes[0] == Long.BYTES) {
                    sink.put(word[0]);
                    word[0] = 0;
                    bytes[0] = 0;
                }
            }
        });
        if (bytes[0] > 0) {
            sink.put(word[0]);
        }
    }

    private void weaveSets(Sink sink) throws IOException {
        long[] written = {0};
        forEach((segment, part, document) -> {
            // In the order in which starts were given out; a set that others share is written at its first.
            if (setStarts.get(part).getOrDefault(segment.setStart(document), -1L) == written[0]) {
                long[] set = segment.set(document);
                sink.put(set.length);
                for (long hash : set) {
                    sink.put(hash);
                }
                written[0] += 1 + set.length;
            }
        });
    }

    private void weaveOrder(int order, Sink sink) throws IOException {
        List<Cursor> cursors = new ArrayList<>();
        for (int part = 0; part < numbers.length; part++) {
            Cursor cursor = new Cursor(parts.get(part), numbers[part], order, numbers.length > 1);
            if (cursor.next()) {
                cursors.add(cursor);
            }
        }
        long half = 0;
        for (long place = 0; place < shape.documents(); place++) {
            Cursor least = cursors.get(0);
            for (int i = 1; i < cursors.size(); i++) {
                if (cursors.get(i).isBefore(least)) {
                    least = cursors.get(i);
                }
            }
            long number = least.numbers[least.document];
            if ((place & 1) == 0) {
                half = number;
            } else {
                sink.put(half | number << 32);
            }
            if (!least.next()) {
                cursors.remove(least);
            }
        }
        if ((shape.documents() & 1) == 1) {
            sink.put(half);
        }
    }

    /** Goes through a part in one of its orders. */
    private static final class Cursor {
        final IndexSegment segment;
        final int[] numbers;
        final int order;
        final boolean keyed;
        int place;
        int document;
        long key;

        Cursor(IndexSegment segment, int[] numbers, int order, boolean keyed) {
            this.segment = segment;
            this.numbers = numbers;
            this.order = order;
            this.keyed = keyed;
        }

        boolean next() {
            while (place < numbers.length) {
                document = segment.at(order, place++);
                if (numbers[document] != LEFT_OUT) {
                    key = keyed ? segment.key(order, document) : 0;
                    return true;
                }
            }
            return false;
        }

        /** True only if it must come first: of equals the earlier part does. */
        boolean isBefore(Cursor other) {
            int byKey = Long.compareUnsigned(key, other.key);
            return byKey != 0 ? byKey < 0 : segment.compareTies(order, document, other.segment, other.document) < 0;
        }
    }
}
