package dev.perhaps.spark.duplicates;

import java.nio.ByteBuffer;

/** Signatures as bytes of a row, and short sketches of them that travel with their bands. */
public final class PackedWords {
    /*
     * A sketch has 4 bits of each component, 16 components a word: 64 bytes for 128. Equal components have equal bits,
     * so two sketches agree on at least as many places as the signatures do, and a pair that the sketches rule out is
     * none.
     */
    private static final int PER_WORD = 16;
    private static final long LOWEST_BITS = 0x1111111111111111L;

    private PackedWords() {}

    public static byte[] bytes(int[] signature) {
        ByteBuffer bytes = ByteBuffer.allocate(signature.length * Integer.BYTES);
        bytes.asIntBuffer().put(signature);
        return bytes.array();
    }

    public static int[] ints(byte[] bytes) {
        int[] signature = new int[bytes.length / Integer.BYTES];
        ByteBuffer.wrap(bytes).asIntBuffer().get(signature);
        return signature;
    }

    public static byte[] bytes(long[] words) {
        ByteBuffer bytes = ByteBuffer.allocate(words.length * Long.BYTES);
        bytes.asLongBuffer().put(words);
        return bytes.array();
    }

    public static long[] longs(byte[] bytes) {
        long[] words = new long[bytes.length / Long.BYTES];
        ByteBuffer.wrap(bytes).asLongBuffer().get(words);
        return words;
    }

    static byte[] bytes(char[] values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Character.BYTES);
        bytes.asCharBuffer().put(values);
        return bytes.array();
    }

    static char[] chars(byte[] bytes) {
        char[] values = new char[bytes.length / Character.BYTES];
        ByteBuffer.wrap(bytes).asCharBuffer().get(values);
        return values;
    }

    /** Four bits of each component. */
    public static long[] sketch(int[] signature) {
        long[] sketch = new long[(signature.length + PER_WORD - 1) / PER_WORD];
        for (int i = 0; i < signature.length; i++) {
            sketch[i / PER_WORD] |= (signature[i] & 0xFL) << 4 * (i % PER_WORD);
        }
        return sketch;
    }

    /** The number of different places: never more than the number of different components. */
    public static int different(long[] a, long[] b) {
        int different = 0;
        for (int i = 0; i < a.length; i++) {
            long bits = a[i] ^ b[i];
            bits |= bits >>> 2;
            bits |= bits >>> 1;
            different += Long.bitCount(bits & LOWEST_BITS);
        }
        return different;
    }
}
