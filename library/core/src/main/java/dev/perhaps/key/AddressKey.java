package dev.perhaps.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Objects;

/** Hashes an IP address as its 4 or 16 bytes in network order; names and scopes play no part. */
final class AddressKey extends Xxh3Key<InetAddress> {
    static final String NAME = "ip";
    static final AddressKey DEFAULT = new AddressKey(DEFAULT_SEED);

    private AddressKey(long seed) {
        super(NAME, seed);
    }

    @Override
    public long hash(InetAddress value) {
        return hasher.hashBytesToLong(
                Objects.requireNonNull(value, KeyName.NO_VALUE).getAddress());
    }

    @Override
    public AddressKey seeded(long otherSeed) {
        return new AddressKey(otherSeed);
    }

    @Override
    public void write(InetAddress value, DataOutput out) throws IOException {
        BytesKey.DEFAULT.write(value.getAddress(), out);
    }

    @Override
    public InetAddress read(DataInput in) throws IOException {
        return InetAddress.getByAddress(BytesKey.DEFAULT.read(in));
    }
}
