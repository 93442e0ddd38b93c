package dev.perhaps.foreign;

/**
 * A funnel of Guava: the bytes that are hashed for a value. For your own funnel, write a lambda that returns all bytes
 * that it puts into the sink, in order (numbers little-endian, unencoded characters as little-endian UTF-16).
 *
 * <p>{@code GuavaFunnel<Instant> seconds = time -> GuavaFunnel.longs().bytesOf(time.getEpochSecond());}
 */
@FunctionalInterface
public interface GuavaFunnel<T> {
    /** Returns the bytes that are hashed for this value; equal values must give equal bytes. */
    byte[] bytesOf(T value);

    /** Returns the equivalent of {@code Funnels.byteArrayFunnel()}. */
    static GuavaFunnel<byte[]> bytes() {
        return GuavaFunnels.BYTES;
    }

    /** Returns the equivalent of {@code Funnels.stringFunnel(UTF_8)}. */
    static GuavaFunnel<String> utf8() {
        return GuavaFunnels.UTF8;
    }

    /** Returns the equivalent of {@code Funnels.unencodedCharsFunnel()}. */
    static GuavaFunnel<String> unencodedChars() {
        return GuavaFunnels.UNENCODED_CHARS;
    }

    /** Returns the equivalent of {@code Funnels.longFunnel()}. */
    static GuavaFunnel<Long> longs() {
        return GuavaFunnels.LONGS;
    }

    /** Returns the equivalent of {@code Funnels.integerFunnel()}. */
    static GuavaFunnel<Integer> ints() {
        return GuavaFunnels.INTS;
    }
}
