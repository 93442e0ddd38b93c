package dev.perhaps.bench.similarity;

import java.util.function.LongFunction;

/**
 * A family that signs texts.
 *
 * @param maker makes one with a seed
 * @param share the share of the texts on which it is timed; slow ones get fewer
 * @param ofAngle if it estimates the angle; otherwise Jaccard
 */
public record SignRow(String name, LongFunction<Signer> maker, double share, boolean ofAngle) {
    /** From text to signature, ours or a peer's. Each has its own loop. */
    interface Signer {
        /**
         * Signs all texts in {@code [from, to)}. Returns a value computed from the signatures, so that the compiler
         * cannot drop the work.
         */
        long sign(byte[][] texts, int from, int to);

        /** The similarity that the signatures of two texts estimate. */
        double similarity(byte[] a, byte[] b);
    }
}
