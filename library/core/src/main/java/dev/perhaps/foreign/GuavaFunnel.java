package dev.perhaps.foreign;

/**
 * The bytes that one of Guava's funnels puts into the hash for a value. A funnel of your own is a lambda: it returns
 * what yours puts into the sink, one after the other (numbers little-endian, unencoded characters as UTF-16,
 * little-endian).
 *
 * <p>{@code GuavaFunnel<Instant> seconds = time -> GuavaFunnel.longs().bytesOf(time.getEpochSecond());}
 */
@FunctionalInterface
public interface GuavaFunnel<T> {
    /** Returns the bytes that are hashed for this value; equal values must give equal bytes. */
    byte[] bytesOf(T value);

    /** As {@code Funnels.byteArrayFunnel()}. */
    static GuavaFunnel<byte[]> bytes() {
        return GuavaFunnels.BYTES;
    }

    /** As {@code Funnels.stringFunnel(UTF_8)}. */
    static GuavaFunnel<String> utf8() {
        return GuavaFunnels.UTF8;
    }

    /** As {@code Funnels.unencodedCharsFunnel()}. */
    static GuavaFunnel<String> unencodedChars() {
        return GuavaFunnels.UNENCODED_CHARS;
    }

    /** As {@code Funnels.longFunnel()}. */
    static GuavaFunnel<Long> longs() {
        return GuavaFunnels.LONGS;
    }

    /** As {@code Funnels.integerFunnel()}. */
    static GuavaFunnel<Integer> ints() {
        return GuavaFunnels.INTS;
    }
}
