package dev.perhaps.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Objects;

/** Hashes an IP address as its 4 or 16 bytes in network order; names and scopes play no part. */
final class AddressKey extends Xxh3Key<InetAddress> {
    static final String NAME = "ip";
    /** ::ffff:0:0/96 */
    private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xFF, (byte) 0xFF};

    static final AddressKey DEFAULT = new AddressKey(DEFAULT_SEED);

    private AddressKey(long seed) {
        super(NAME, seed);
    }

    @Override
    public long hash(InetAddress value) {
        return hasher.hashBytesToLong(bytesOf(Objects.requireNonNull(value, KeyName.NO_VALUE)));
    }

    /**
     * Mapped addresses are made only by those who ask for an {@code Inet6Address} of these bytes; the JDK has IPv4
     * then.
     */
    private static byte[] bytesOf(InetAddress value) {
        byte[] bytes = value.getAddress();
        boolean mapped =
                bytes.length > MAPPED.length && Arrays.equals(bytes, 0, MAPPED.length, MAPPED, 0, MAPPED.length);
        return mapped ? Arrays.copyOfRange(bytes, MAPPED.length, bytes.length) : bytes;
    }

    @Override
    public AddressKey seeded(long otherSeed) {
        return new AddressKey(otherSeed);
    }

    @Override
    public void write(InetAddress value, DataOutput out) throws IOException {
        BytesKey.DEFAULT.write(bytesOf(value), out);
    }

    @Override
    public InetAddress read(DataInput in) throws IOException {
        return InetAddress.getByAddress(BytesKey.DEFAULT.read(in));
    }
}
