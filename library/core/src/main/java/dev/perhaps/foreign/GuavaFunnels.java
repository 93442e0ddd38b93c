package dev.perhaps.foreign;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** The funnels of Guava itself; one object each, so that filters with the same funnel are known to fit. */
final class GuavaFunnels {
    static final GuavaBloom.Funnel<byte[]> BYTES = value -> value;
    static final GuavaBloom.Funnel<String> UTF8 = value -> value.getBytes(StandardCharsets.UTF_8);
    static final GuavaBloom.Funnel<String> UNENCODED_CHARS = GuavaFunnels::chars;
    static final GuavaBloom.Funnel<Long> LONGS =
            value -> littleEndian(Long.BYTES).putLong(value).array();
    static final GuavaBloom.Funnel<Integer> INTS =
            value -> littleEndian(Integer.BYTES).putInt(value).array();

    private GuavaFunnels() {}

    private static ByteBuffer littleEndian(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Character by character: an encoder would replace a lone surrogate. */
    private static byte[] chars(String value) {
        byte[] bytes = new byte[value.length() * Character.BYTES];
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            bytes[2 * i] = (byte) c;
            bytes[2 * i + 1] = (byte) (c >> Byte.SIZE);
        }
        return bytes;
    }
}
