package dev.perhaps.similarity;

import dev.perhaps.similarity.text.Letters;
import dev.perhaps.similarity.text.RollingHash;
import dev.perhaps.similarity.text.SetBuilder;
import dev.perhaps.similarity.text.ShingleBlocks;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * Signs texts by their shingles, in one pass from UTF-8 to the signature. The result is exactly that of {@link
 * Shingles#hashes} and {@link MinHash#sign}, but faster and without an array of all hashes. Not thread-safe.
 *
 * <pre>{@code
 * Shingles shingles = Shingles.codePoints();
 * TextSigner signer = shingles.signer(MinHash.of(128).of(shingles.key()));
 * Signature signature = signer.sign("It was the best of times, it was the worst of times");
 * }</pre>
 */
public final class TextSigner {
    /*
     * Nearly all blocks of most texts are ASCII. There a letter enters the rolling sum, another leaves it, and the hash
     * goes to its bin, all in registers. Any other block is decoded and hashed first.
     *
     * Only a text of few different shingles leaves bins empty after round 0. These few are then gathered from the text,
     * each once, and thrown again: a long text that repeats itself costs no more than reading it twice.
     */
    private static final int FEW = 1 << 12;

    private final Shingles shingles;
    private final MinHash<CharSequence> family;
    private final ShingleBlocks blocks;
    private final RollingHash rolling;
    private final Letters letters;
    private final SetBuilder different = new SetBuilder();
    private long[] hashes;

    /**
     * Creates a signer; {@link Shingles#signer} does the same, and checks that the family has the key of the
     * shingles.
     */
    public TextSigner(Shingles shingles, MinHash<CharSequence> family) {
        this.shingles = shingles;
        this.family = family;
        this.blocks = shingles.blocks();
        this.rolling = shingles.rolling();
        this.letters = shingles.letters();
        this.hashes = new long[blocks.most()];
    }

    /** Returns the family of the signatures. */
    public MinHash<CharSequence> family() {
        return family;
    }

    /** Returns the signature of a text. */
    public Signature sign(CharSequence text) {
        byte[] utf8 = text.toString().getBytes(StandardCharsets.UTF_8);
        return sign(utf8, 0, utf8.length);
    }

    /** Returns the signature of the UTF-8 text in {@code [from, to)}. */
    public Signature sign(byte[] utf8, int from, int to) {
        long[] signature = new long[family.components()];
        sign(utf8, from, to, signature);
        return new Signature(family, signature);
    }

    /** Writes the signature of {@link #sign(byte[], int, int)} into an array with one element per component. */
    public void sign(byte[] utf8, int from, int to, long[] into) {
        Objects.checkFromToIndex(from, to, utf8.length);
        if (!shingles.isCutInBlocks()) {
            long[] all = shingles.hashes(new String(utf8, from, to - from, StandardCharsets.UTF_8));
            family.sign(all, 0, all.length, into);
            return;
        }
        family.checkRoom(into);
        Arrays.fill(into, MinHash.EMPTY);
        blocks.start(utf8, from, to);
        for (boolean isFirst = true; blocks.next(); isFirst = false) {
            if (blocks.isPlain() && family.throwsByShift() && !isFirst) {
                throwLetters(into);
            } else {
                blocks.hashes(hashes, 0);
                family.take(hashes, 0, blocks.shingles(), into, isFirst);
            }
        }
        int empty = family.settle(into);
        if (empty > 0) {
            throwAgain(utf8, from, to, into, empty);
        }
    }

    private void throwLetters(long[] least) {
        throwLetters(
                blocks.bytes(),
                blocks.at(),
                blocks.shingles(),
                shingles.size(),
                rolling.sum(blocks.bytes(), blocks.at(), letters),
                letters.entering,
                letters.leaving,
                family.binShift(),
                least);
    }

    private static void throwLetters(
            byte[] ascii,
            int at,
            int windows,
            int n,
            long sum,
            long[] entering,
            long[] leaving,
            int binShift,
            long[] least) {
        MinHash.throwOne(RollingHash.folded(sum), binShift, least);
        for (int i = 0; i < windows - 1; i++) {
            sum = RollingHash.extended(sum, entering[ascii[at + n + i] & 0xFF] - leaving[ascii[at + i] & 0xFF]);
            MinHash.throwOne(RollingHash.folded(sum), binShift, least);
        }
    }

    private void throwAgain(byte[] utf8, int from, int to, long[] least, int empty) {
        if (to - from <= FEW) {
            hashes = hashes.length < FEW ? new long[FEW] : hashes;
            int count = shingles.hashes(utf8, from, to, hashes);
            MinHash.throwAgain(hashes, 0, count, least, empty);
            return;
        }
        blocks.start(utf8, from, to);
        long[] set = different.build(blocks, FEW);
        MinHash.throwAgain(set, 0, set.length, least, empty);
    }
}
