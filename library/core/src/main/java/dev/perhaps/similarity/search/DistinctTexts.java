package dev.perhaps.similarity.search;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Comparator;

/**
 * The different contents of a collection, numbered by their fingerprints, each with its documents and its signature.
 * The numbers depend on the contents only: neither on the order of documents nor on threads. Read-only once built.
 */
public final class DistinctTexts {
    /*
     * Every document is read once. A table of 2n fingerprints, claimed by compare-and-set, tells the thread that meets
     * a content first: it signs, the others do not. Which thread that is does not matter, since equal contents sign
     * alike. Two contents with one half fingerprint (chance 2^−64 per pair) leave one unsigned; it is read and signed
     * afterwards.
     *
     * Signatures are kept as 32 bits per component: two different ones look alike with chance 2^−32.
     */
    private static final VarHandle CLAIM = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int CHUNK = 16;
    private static final int MAX_DOCUMENTS = 1 << 27;

    /** Content of each document. */
    public final int[] ofDocument;
    /** Length of each document. */
    public final long[] lengths;
    /** Documents of content c, in the order in which one would be kept, are at starts[c] … starts[c + 1] − 1. */
    public final int[] documents;

    public final int[] starts;
    /** Signature of each content. */
    public final ShortSignatures signatures;
    /** Fingerprint of each document. */
    public final long[] high;

    public final long[] low;

    private DistinctTexts(
            int[] ofDocument,
            long[] lengths,
            long[] high,
            long[] low,
            int[] documents,
            int[] starts,
            ShortSignatures signatures) {
        this.ofDocument = ofDocument;
        this.lengths = lengths;
        this.high = high;
        this.low = low;
        this.documents = documents;
        this.starts = starts;
        this.signatures = signatures;
    }

    public int count() {
        return signatures.count();
    }

    /** The document that stands for a content. */
    public int first(int content) {
        return documents[starts[content]];
    }

    /** The pair of the contents of two documents. */
    public long pair(long ofDocuments) {
        int a = ofDocument[PairIds.first(ofDocuments)];
        int b = ofDocument[PairIds.second(ofDocuments)];
        return PairIds.of(a, b);
    }

    /** Length of a content's documents. */
    public long length(int content) {
        return lengths[first(content)];
    }

    public static DistinctTexts read(
            ShingleSource source, int components, boolean keepFirst, int threads, ShortSignatures.Store store)
            throws IOException {
        int count = source.count();
        if (count > MAX_DOCUMENTS) {
            throw new IllegalArgumentException("at most " + MAX_DOCUMENTS + " documents at once, got " + count);
        }
        long[] high = new long[count];
        long[] low = new long[count];
        long[] lengths = new long[count];
        boolean[] signed = new boolean[count];
        long[] claims = new long[Integer.highestOneBit(Math.max(4, count)) << 2];
        Workers.run(threads, count, CHUNK, () -> {
            ShingleSource.Reader reader = source.reader();
            long[] signature = new long[components];
            return document -> {
                reader.open(document);
                high[document] = reader.high;
                low[document] = reader.low;
                lengths[document] = reader.length;
                if (isFirst(claims, reader.high)) {
                    signed[document] = true;
                    store.put(document, sign(reader, signature));
                }
            };
        });
        return group(source, components, high, low, lengths, signed, store, keepFirst);
    }

    /** The signature of the document that was opened, cut to 32 bits; {@code signature} is overwritten. */
    public static int[] sign(ShingleSource.Reader reader, long[] signature) {
        reader.sign(signature);
        int[] low = new int[signature.length];
        for (int i = 0; i < low.length; i++) {
            low[i] = (int) signature[i];
        }
        return low;
    }

    /** True for exactly one of all callers with the same fingerprint. The table is never more than half full. */
    private static boolean isFirst(long[] claims, long fingerprint) {
        long mark = fingerprint == 0 ? 1 : fingerprint;
        int at = (int) mark & claims.length - 1;
        while (true) {
            long seen = (long) CLAIM.compareAndExchange(claims, at, 0L, mark);
            if (seen == 0 || seen == mark) {
                return seen == 0;
            }
            at = at + 1 & claims.length - 1;
        }
    }

    private static DistinctTexts group(
            ShingleSource source,
            int components,
            long[] high,
            long[] low,
            long[] lengths,
            boolean[] signed,
            ShortSignatures.Store store,
            boolean keepFirst)
            throws IOException {
        int count = high.length;
        Integer[] order = new Integer[count];
        Arrays.setAll(order, i -> i);
        Comparator<Integer> byContent = (a, b) -> {
            int byHigh = Long.compareUnsigned(high[a], high[b]);
            return byHigh != 0 ? byHigh : Long.compareUnsigned(low[a], low[b]);
        };
        Comparator<Integer> byRank = keepFirst
                ? Comparator.naturalOrder()
                : (a, b) -> lengths[a] != lengths[b] ? Long.compare(lengths[b], lengths[a]) : source.compare(a, b);
        Arrays.parallelSort(order, byContent.thenComparing(byRank).thenComparing(Comparator.naturalOrder()));

        int[] documents = new int[count];
        int[] ofDocument = new int[count];
        int[] starts = new int[count + 1];
        int[] signers = new int[count];
        int contents = 0;
        for (int i = 0; i < count; i++) {
            int document = order[i];
            if (i == 0 || byContent.compare(order[i - 1], order[i]) != 0) {
                starts[contents] = i;
                signers[contents++] = -1;
            }
            documents[i] = document;
            ofDocument[document] = contents - 1;
            if (signed[document]) {
                signers[contents - 1] = document;
            }
        }
        starts[contents] = count;
        for (int content = 0; content < contents; content++) {
            if (signers[content] < 0) {
                signers[content] = documents[starts[content]];
                ShingleSource.Reader reader = source.reader();
                reader.open(signers[content]);
                store.put(signers[content], sign(reader, new long[components]));
            }
        }
        return new DistinctTexts(
                ofDocument,
                lengths,
                high,
                low,
                documents,
                Arrays.copyOf(starts, contents + 1),
                store.of(Arrays.copyOf(signers, contents)));
    }
}
