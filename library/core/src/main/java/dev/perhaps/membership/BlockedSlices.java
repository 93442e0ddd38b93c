package dev.perhaps.membership;

import dev.perhaps.hash.Mix;
import dev.perhaps.io.WholeFile;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.membership.bloom.BlockedFormulas;
import dev.perhaps.membership.bloom.BlockedKernel;
import dev.perhaps.membership.bloom.BlockedMasks;
import dev.perhaps.sketch.Sizing;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A {@link BlockedBloom} in slices, for sets whose filter no process should hold as a whole: a hash belongs to one slice,
 * each slice is built by itself from its hashes, and all slices in order are the file that the whole filter would write,
 * byte for byte. Building a slice takes its memory only, twice. Immutable; thread-safe.
 *
 * <pre>{@code
 * BlockedSlices<Long> slices = BlockedBloom.expecting(1_000_000_000).of(Key.longs()).slices(256);
 * }</pre>
 */
public final class BlockedSlices<T> {
    /*
     * The word of a hash grows with the high half of its mixed value, so a range of mixed values is a range of lines:
     *
     *     slice s of c     lines [⌊s·lines / c⌋, ⌊(s + 1)·lines / c⌋)
     *
     * Both words of a hash are in one line, hence in one slice. A slice starts at a line, so the bits that lead from the
     * first word to the second are the same within a slice as within the whole.
     */
    private final Key<T> key;
    private final int salt;
    private final Sizing sizing;
    private final int first;
    private final long lines;
    private final int count;

    BlockedSlices(Key<T> key, int salt, Sizing sizing, int first, int count) {
        this.key = key;
        this.salt = salt;
        this.sizing = sizing;
        this.first = first;
        this.lines = sizing.bytes() / BlockedKernel.LINE_BYTES;
        this.count = count;
        if (count < 1 || count > lines) {
            throw new IllegalArgumentException("the number of slices must be in [1, " + lines
                    + "], one line of 512 bits each at least, got " + count);
        }
    }

    /** Returns the size and error of the whole filter. */
    public Sizing sizing() {
        return sizing;
    }

    /** Returns the number of slices. */
    public int count() {
        return count;
    }

    /** Returns the slice that a hash belongs to. */
    public int sliceOf(long hash) {
        long word = BlockedKernel.firstWord(BlockedKernel.high(hash * mix()), lines * BlockedKernel.LINE_WORDS);
        long line = word / BlockedKernel.LINE_WORDS;
        return (int) (((line + 1) * count - 1) / lines);
    }

    private long mix() {
        return Mix.salted(BlockedKernel.MIX, salt);
    }

    private long firstLine(int slice) {
        return slice * lines / count;
    }

    /** Returns the length of a slice. */
    public int bytes(int slice) {
        Objects.checkIndex(slice, count);
        return Math.toIntExact((firstLine(slice + 1) - firstLine(slice)) * BlockedKernel.LINE_BYTES);
    }

    /**
     * Builds one slice, whose part of the file it returns.
     *
     * @throws IllegalArgumentException if a hash belongs to another slice
     */
    public byte[] build(int slice, Hashes hashes) {
        long[] words = new long[bytes(slice) / Long.BYTES];
        long[] firsts = BlockedMasks.first(first);
        long[] seconds = BlockedMasks.second(BlockedFormulas.second(first));
        long mix = mix();
        long allWords = lines * BlockedKernel.LINE_WORDS;
        long start = firstLine(slice) * BlockedKernel.LINE_WORDS;
        hashes.replay((batch, from, to) -> {
            for (int n = from; n < to; n++) {
                long product = batch[n] * mix;
                long high = BlockedKernel.high(product);
                int low = BlockedKernel.low(product, high);
                long i = BlockedKernel.firstWord(high, allWords) - start;
                if (i < 0 || i >= words.length) {
                    throw new IllegalArgumentException("the hash " + Long.toHexString(batch[n]) + " belongs to slice "
                            + sliceOf(batch[n]) + ", not to slice " + slice);
                }
                words[(int) i] |= BlockedKernel.firstMask(firsts, low);
                words[(int) i ^ BlockedKernel.toSecond(low)] |= BlockedKernel.secondMask(seconds, low);
            }
        });
        ByteBuffer bytes = ByteBuffer.allocate(bytes(slice)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(words);
        return bytes.array();
    }

    /**
     * Writes the file of the whole filter, completely or not at all: to a temporary file in the same folder that is then
     * renamed. The slices are asked for one by one, in order, once it is clear that the file can be written.
     */
    public void write(Path file, Iterable<byte[]> slices) throws IOException {
        WholeFile.write(
                file,
                out -> BlockedBloom.frame(key, salt, sizing, first).write(out, payload -> {
                    int slice = 0;
                    for (byte[] bytes : slices) {
                        if (slice == count || bytes.length != bytes(slice)) {
                            throw new IllegalArgumentException("slice " + slice + " of " + count + " has "
                                    + bytes.length + " bytes, which does not fit");
                        }
                        payload.bytes(bytes);
                        slice++;
                    }
                }));
    }
}
