package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Range;
import java.util.Arrays;

/**
 * All keys that begin with the same hexadecimal digits: a node of a {@link MerkleTree}.
 *
 * @param first the lowest of them
 * @param digits how many digits they share, from the first on
 */
record Prefix(Id first, int digits) {
    static final Prefix ALL = new Prefix(Id.of(new byte[Id.BITS / Byte.SIZE]), 0);

    Prefix child(int digit) {
        byte[] bytes = first.toBytes();
        bytes[digits / 2] |= (byte) (digits % 2 == 0 ? digit << 4 : digit);
        return new Prefix(Id.of(bytes), digits + 1);
    }

    Id last() {
        byte[] bytes = first.toBytes();
        if (digits % 2 == 1) {
            bytes[digits / 2] |= 0xF;
        }
        Arrays.fill(bytes, (digits + 1) / 2, bytes.length, (byte) 0xFF);
        return Id.of(bytes);
    }

    boolean contains(Id key) {
        return key.compareTo(first) >= 0 && key.compareTo(last()) <= 0;
    }

    /** Returns true if every key of it is in the range. */
    boolean isInside(Range range) {
        return range.from().equals(range.to()) || !contains(range.from()) && range.contains(last());
    }

    /** True if no key of it is in the range. One that the range begins in is taken for an edge, even if nothing is left. */
    boolean isOutside(Range range) {
        return !contains(range.from()) && !range.contains(first);
    }
}
