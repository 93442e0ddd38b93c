package dev.perhaps.bench.similarity;

import java.util.function.LongFunction;

/**
 * A family that signs texts.
 *
 * @param maker makes one with a seed
 * @param share of the texts that it is timed on: a slow one is given fewer
 * @param ofAngle if it estimates the angle; else Jaccard
 */
public record SignRow(String name, LongFunction<Signer> maker, double share, boolean ofAngle) {
    /** From text to signature, ours or a peer's. Each has its own loop. */
    interface Signer {
        /** Signs all texts of {@code [from, to)}. Answers something of the signatures, lest they be left out. */
        long sign(byte[][] texts, int from, int to);

        /** The similarity that the signatures of two texts estimate. */
        double similarity(byte[] a, byte[] b);
    }
}
