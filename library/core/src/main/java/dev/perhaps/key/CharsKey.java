package dev.perhaps.key;

import java.util.Objects;

/** Hashes any sequence of characters as the string of them, without making that string. */
record CharsKey(StringKey strings) implements Key<CharSequence> {
    static final CharsKey DEFAULT = new CharsKey(StringKey.DEFAULT);

    @Override
    public long hash(CharSequence value) {
        return value instanceof String string
                ? strings.hash(string)
                : strings.hashChars(Objects.requireNonNull(value, KeyName.NO_VALUE));
    }

    @Override
    public String name() {
        return strings.name();
    }

    @Override
    public long seed() {
        return strings.seed();
    }

    @Override
    public CharsKey seeded(long seed) {
        return new CharsKey(strings.seeded(seed));
    }

    @Override
    public String toString() {
        return name();
    }
}
