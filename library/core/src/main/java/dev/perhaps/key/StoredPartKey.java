package dev.perhaps.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.function.Function;

/** Hashes and writes one part of a value exactly as the part alone, and makes the value from it again. */
record StoredPartKey<U, T>(
        Key.Stored<T> whole, String part, Function<? super U, ? extends T> take, Function<? super T, ? extends U> make)
        implements Key.Stored<U> {
    @Override
    public long hash(U value) {
        return whole.hash(PartKey.taken(part, take, value));
    }

    @Override
    public String name() {
        return KeyName.join(whole.name(), part);
    }

    @Override
    public long seed() {
        return whole.seed();
    }

    @Override
    public StoredPartKey<U, T> seeded(long seed) {
        return new StoredPartKey<>(whole.seeded(seed), part, take, make);
    }

    @Override
    public void write(U value, DataOutput out) throws IOException {
        whole.write(PartKey.taken(part, take, value), out);
    }

    @Override
    public U read(DataInput in) throws IOException {
        T read = whole.read(in);
        U made;
        try {
            made = make.apply(read);
        } catch (RuntimeException e) {
            throw new IOException(
                    "no value can be made from the " + part + " '" + Abbreviated.of(read.toString()) + "': "
                            + e.getMessage(),
                    e);
        }
        if (made == null) {
            throw new IOException(
                    "no value can be made from the " + part + " '" + Abbreviated.of(read.toString()) + "'");
        }
        return made;
    }

    @Override
    public String toString() {
        return name();
    }
}
