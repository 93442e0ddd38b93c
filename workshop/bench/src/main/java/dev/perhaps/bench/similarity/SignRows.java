package dev.perhaps.bench.similarity;

import com.dynatrace.hash4j.similarity.SimilarityHashPolicy;
import com.dynatrace.hash4j.similarity.SimilarityHashing;
import java.util.ArrayList;
import java.util.List;

/** The rows for signatures: MinHash and SimHash, ours and those of other libraries. */
final class SignRows {
    static final int COMPONENTS = 128;
    static final String MINHASH = "minhash";
    static final String BY_HASHES = "minhash, hashes first";
    static final String SUPER = "SuperMinHash, our shingles";
    static final String SUPER_ALONE = "SuperMinHash";
    static final String HASH4J = "hash4j MinHash, our shingles";
    static final String HASH4J_ALONE = "hash4j MinHash";
    static final String JAVA_LSH = "java-lsh";
    static final String TEXTBOOK = "textbook loop";

    private static final String SIMHASH = "simhash";
    private static final String FAST_SIMHASH = "FastSimHash, our shingles";
    private static final String FAST_SIMHASH_ALONE = "FastSimHash";

    /** For families that take k steps per shingle. */
    private static final double FEW = 1.0 / 16;

    /** 32 bits are enough to distinguish components, and are not slower for hash4j than 64. */
    private static final int COMPONENT_BITS = 32;

    private SignRows() {}

    static List<Integer> angleBits() {
        return List.of(64, 1_024);
    }

    static List<SignRow> minHashes() {
        SimilarityHashPolicy superMinHash = SimilarityHashing.superMinHash(COMPONENTS, COMPONENT_BITS);
        SimilarityHashPolicy minHash = SimilarityHashing.minHash(COMPONENTS, COMPONENT_BITS);
        return List.of(
                new SignRow(MINHASH, seed -> new SignLoops.Ours(COMPONENTS, seed), 1, false),
                new SignRow(BY_HASHES, seed -> new SignLoops.OursByHashes(COMPONENTS, seed), 1, false),
                new SignRow(SUPER, seed -> SignLoops.Hash4j.fed(superMinHash, seed), 1, false),
                new SignRow(SUPER_ALONE, seed -> SignLoops.Hash4j.alone(superMinHash, seed), 1, false),
                new SignRow(HASH4J, seed -> SignLoops.Hash4j.fed(minHash, seed), FEW, false),
                new SignRow(HASH4J_ALONE, seed -> SignLoops.Hash4j.alone(minHash, seed), FEW, false),
                new SignRow(JAVA_LSH, seed -> new SignLoops.JavaLsh(COMPONENTS, seed), FEW, false),
                new SignRow(TEXTBOOK, seed -> new SignLoops.Textbook(COMPONENTS, seed), FEW, false));
    }

    static List<SignRow> simHashes(int bits) {
        SimilarityHashPolicy fast = SimilarityHashing.fastSimHash(bits);
        double share = 64.0 / bits;
        return List.of(
                new SignRow(simHash(bits), seed -> new SignLoops.OurSimHash(bits, seed), share, true),
                new SignRow(fastSimHash(bits), seed -> SignLoops.Hash4j.fed(fast, seed), share, true),
                new SignRow(FAST_SIMHASH_ALONE + bits(bits), seed -> SignLoops.Hash4j.alone(fast, seed), share, true));
    }

    static String simHash(int bits) {
        return SIMHASH + bits(bits);
    }

    static String fastSimHash(int bits) {
        return FAST_SIMHASH + bits(bits);
    }

    private static String bits(int bits) {
        return ", " + bits + " bits";
    }

    static List<SignRow> all() {
        List<SignRow> all = new ArrayList<>(minHashes());
        angleBits().forEach(bits -> all.addAll(simHashes(bits)));
        return all;
    }
}
