package dev.perhaps.cli.engine;

import dev.perhaps.Perhaps;
import dev.perhaps.cli.input.BadRecords;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.input.Texts;
import dev.perhaps.key.Hashes;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.io.Serializable;
import java.util.List;

/**
 * Does the long part of a command elsewhere: inputs are read in parts, by tasks of a cluster. Whatever the parts, the result is
 * that of one process. A failure of a task is thrown as it would be here.
 */
public interface Engine {
    /** The records of one part. */
    interface Records {
        void read(KeyForm.Sink sink) throws IOException;

        /** What becomes of those that are refused later than when they are read. */
        BadRecords bad();
    }

    /** How records get into a sketch: it is sent to the tasks. */
    @FunctionalInterface
    interface Filling<S extends Sketch> extends Serializable {
        /** Puts all records of one part into a sketch. */
        void fill(S sketch, Records records) throws IOException;

        /** Reads a sketch that was sent as bytes. */
        @SuppressWarnings("unchecked") // the bytes are those of an S
        default S open(byte[] frame) throws IOException {
            return (S) Perhaps.fromBytes(frame);
        }
    }

    /**
     * What tasks found while they read.
     *
     * @param hashes the number of hashes of all records
     * @param skipped the number of records that were left out
     * @param problems what was wrong with the first few of these
     * @param warnings what may be a mistake
     */
    record Findings(long hashes, long skipped, List<String> problems, List<String> warnings) {}

    /**
     * Fills copies of a sketch, one per part, and merges them into it. It can be merged, does not depend on the order of records,
     * and is empty, or one to which it makes no difference if it is merged with itself.
     *
     * @param what what is being done, for the line of progress
     */
    <S extends Sketch> Findings fill(String what, RecordSource source, S sketch, Filling<S> filling) throws IOException;

    /** Which documents are near duplicates, and which of them are kept. */
    record DuplicateSearch(
            double threshold, double recall, int components, Shingles shingles, boolean stars, boolean keepsFirst) {}

    /**
     * What was found, by the numbers of documents.
     *
     * @param clusters for each document, the one that is kept of its cluster
     * @param matches for each document, its nearest near duplicate, or -1
     * @param similarities for each document, the similarity of these two
     * @param pairs two numbers per pair of near duplicates
     * @param pairSimilarities the similarity of each pair
     */
    @SuppressWarnings("ArrayRecordComponent") // one per run
    record Duplicates(int[] clusters, int[] matches, double[] similarities, int[] pairs, double[] pairSimilarities) {}

    /** Finds near duplicates; of equal documents, the order is that of the texts. */
    Duplicates duplicates(String what, Texts texts, DuplicateSearch search) throws IOException;

    /**
     * Which items are mostly in the same baskets.
     *
     * @param lecture true for the bands of the lectures; the recall does not matter then
     */
    record ItemSearch(double threshold, double recall, int components, boolean lecture) {}

    /** Pairs of items, wherever they were found. */
    interface ItemPairs extends AutoCloseable {
        /** Takes a pair: the names as they were read, and the numbers of baskets. */
        @FunctionalInterface
        interface Sink {
            void pair(byte[] a, byte[] b, double jaccard, int supportA, int supportB, int common) throws IOException;
        }

        /** The number of baskets with at least one item. */
        long baskets();

        /** The number of different items. */
        long items();

        /** The number of pairs. */
        long count();

        /** The estimated share of pairs that were missed. */
        double missedShare();

        /** What tasks found while they read. */
        Findings findings();

        /** Hands over the first pairs, the most similar first, equal ones by the bytes of both names. */
        void each(long most, Sink sink) throws IOException;

        @Override
        void close();
    }

    /** Finds items that are mostly in the same baskets. */
    ItemPairs correlations(String what, BasketSource source, ItemSearch search) throws IOException;

    /** Passes the hashes of all records to the caller, in the order of the inputs; tasks read and hash them. */
    Findings replay(String what, RecordSource source, Hashes.Sink sink) throws IOException;
}
