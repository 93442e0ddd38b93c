package dev.perhaps.similarity;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;

/**
 * Signatures of one family, numbered from 0 in the order in which they were added, in one array and one file. Each
 * takes {@link Family#signatureBytes} bytes. Any number of threads may read it while none adds.
 *
 * <pre>{@code
 * MinHash<String> minHash = MinHash.of(128);
 * Signatures baskets = Signatures.of(minHash);
 * baskets.add(minHash.sign(Set.of("bread", "milk")));
 * baskets.add(minHash.sign(Set.of("bread", "tea")));
 * double about = baskets.similarity(0, 1);
 * }</pre>
 */
public final class Signatures extends AbstractSketch {
    private static final int MAX_WORDS = Integer.MAX_VALUE - 8;

    private final Family family;
    private long[] words;
    private int count;

    private Signatures(Family family, long[] words, int count) {
        this.family = family;
        this.words = words;
        this.count = count;
    }

    /** Returns an empty collection for signatures of this family. */
    public static Signatures of(Family family) {
        return new Signatures(family, new long[0], 0);
    }

    /** Returns a collection of these signatures, which must be of one family. */
    public static Signatures of(Signature first, Signature... more) {
        Signatures all = of(first.family());
        all.add(first);
        for (Signature signature : more) {
            all.add(signature);
        }
        return all;
    }

    @Override
    public Kind kind() {
        return family.kind();
    }

    /** Returns the family of all these signatures. */
    public Family family() {
        return family;
    }

    /** Returns the number of signatures. */
    public int count() {
        return count;
    }

    /** Adds a signature, which must be of a family that fits, and returns its number. */
    @CanIgnoreReturnValue
    public int add(Signature signature) {
        family.check(signature);
        int each = family.words();
        int used = count * each;
        if (used > MAX_WORDS - each) {
            throw new IllegalStateException(count + " signatures are as many as an array can hold");
        }
        if (words.length < used + each) {
            words = Arrays.copyOf(words, (int) Math.min(MAX_WORDS, Math.max(used + each, used * 3L / 2)));
        }
        System.arraycopy(signature.words(), 0, words, used, each);
        return count++;
    }

    /**
     * Returns a copy of one signature.
     *
     * @throws IndexOutOfBoundsException if there is none with this number
     */
    public Signature get(int number) {
        int at = Objects.checkIndex(number, count) * family.words();
        return new Signature(family, Arrays.copyOfRange(words, at, at + family.words()));
    }

    /** Returns the number of equal components of two signatures, given by number. */
    public int hits(int a, int b) {
        int each = family.words();
        return Signature.hits(
                words, Objects.checkIndex(a, count) * each, words, Objects.checkIndex(b, count) * each, family);
    }

    /** Returns the estimated similarity of two signatures, given by number. */
    public double similarity(int a, int b) {
        return family.similarity(get(a), get(b));
    }

    @Override
    public long sizeBytes() {
        return count * family.signatureBytes();
    }

    @Override
    public long fileBytes() {
        return frame().fileBytes();
    }

    @Override
    public Description describe() {
        return Description.of(kind())
                .text("family", family.name())
                .text("key", family.key().name())
                .text("seed", Long.toString(family.key().seed()))
                .count("signatures", count)
                .count("components", family.components())
                .count("bitsPerComponent", family.bits())
                .share("standardErrorAtMost", family.standardError(0.5))
                .bytes("sizeBytes", sizeBytes())
                .bytes("fileBytes", fileBytes());
    }

    // Parameters in the file (docs/format.md): scheme, components, bits per component, signatures, dimensions.
    private Frame frame() {
        return Frame.of(
                kind(),
                family.key(),
                sizeBytes(),
                family.scheme(),
                family.components(),
                family.bits(),
                count,
                family.dimensions());
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        frame().write(out, payload -> payload.longs(words, 0, count * family.words()));
    }

    /** Opens a file; a file that was written with another key is refused with a {@code FormatException}. */
    public static Signatures open(Path file, Key<?> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static Signatures readFrom(InputStream in, Key<?> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static Signatures fromBytes(byte[] bytes, Key<?> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /** Reads what {@link #writeTo} wrote. */
    static Signatures read(FrameReader in, Key<?> key) throws IOException {
        Kind kind = in.frame().kind();
        if (kind != Kind.SIMHASH && kind != Kind.BIT_SAMPLE) {
            kind = Kind.MINHASH;
        }
        Frame frame = in.frame(kind, key);
        Family family = family(frame, key);
        long count = frame.parameter(3);
        frame.require(count >= 0 && count <= MAX_WORDS / family.words(), "signatures", count);
        long[] words = in.longs(count * family.words());
        in.end();
        for (int i = 0; i < count; i++) {
            frame.require(family.possible(words, i * family.words()), "such a signature at", i);
        }
        return new Signatures(family, words, (int) count);
    }

    private static Family family(Frame frame, Key<?> key) throws FormatException {
        long scheme = frame.parameter(0);
        long components = frame.parameter(1);
        long bits = frame.parameter(2);
        long dimensions = frame.parameter(4);
        frame.require(components >= 1 && components <= Family.MAX_COMPONENTS, "components", components);
        try {
            Family family = switch (frame.kind()) {
                case MINHASH -> minHash(scheme, (int) components, bits, key);
                case SIMHASH ->
                    scheme == SimHash.SCHEME
                            ? SimHash.of((int) components).of(key)
                            : Hyperplanes.of((int) components).seeded(coordinates(frame));
                default -> BitSample.of((int) components).dimensions(dimensions).seeded(coordinates(frame));
            };
            frame.require(family.scheme() == scheme, "scheme", scheme);
            frame.require(family.bits() == bits, "bits", bits);
            frame.require(family.dimensions() == dimensions, "dimensions", dimensions);
            return family;
        } catch (IllegalArgumentException e) {
            throw new FormatException("its parameters fit no family: " + e.getMessage());
        }
    }

    private static Family minHash(long scheme, int components, long bits, Key<?> key) {
        MinHash<?> full = MinHash.of(scheme == MinHash.CLASSIC ? MinHash.CLASSIC : MinHash.FAST, components, key);
        return bits == Family.FULL_BITS ? full : full.bits((int) Math.min(bits, Integer.MAX_VALUE));
    }

    /** Coordinates are hashed as longs, whatever the vectors stand for. */
    private static long coordinates(Frame frame) throws FormatException {
        frame.require(Key.longs().seeded(frame.seed()).fits(frame.keyName(), frame.seed()), "key", frame.keyName());
        return frame.seed();
    }

    @Override
    public String toString() {
        return Figures.count(count) + " signatures, " + family;
    }
}
