package dev.perhaps.key;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The grammar of key names (see {@link Key}): {@code base [" of " part]}, at most 255 bytes of UTF-8. */
final class KeyName {
    static final int MAX_BYTES = 255;

    /** The message for a value that is null. */
    static final String NO_VALUE = "value must not be null";

    private static final String OF = " of ";

    private KeyName() {}

    static String of(String name) {
        Objects.requireNonNull(name, "name must not be null");
        if (name.isBlank() || name.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "a key's name must have 1 to " + MAX_BYTES + " bytes, got '" + name + "'");
        }
        if (name.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("a key's name cannot have control characters, got '" + name + "'");
        }
        return name;
    }

    /** A name for a way of hashing of a program's own: not one of this library, and without a part. */
    static String ofOwnWay(String name) {
        String own = of(name);
        if (own.contains(OF)) {
            throw new IllegalArgumentException("the name of a composed key cannot have '" + OF + "' in it, which stands"
                    + " before a part, got '" + own + "'");
        }
        if (!(resolve(own, Key.DEFAULT_SEED) instanceof UnknownKey)) {
            throw new IllegalArgumentException("'" + own + "' is the name of a built-in key; files of the two"
                    + " could be confused: choose another name");
        }
        return own;
    }

    /** The name of a part of what a key hashes, having checked that both together are a name: a file will have it. */
    static String ofPart(Key<?> key, String part) {
        String checked = of(part);
        var unused = join(key.name(), checked);
        return checked;
    }

    static String base(String name) {
        int of = name.indexOf(OF);
        return of < 0 ? name : name.substring(0, of);
    }

    static String join(String name, String part) {
        return of(base(name) + OF + part);
    }

    static Key<?> resolve(String name, long seed) {
        Key<?> base = switch (base(name)) {
            case StringKey.NAME -> Key.strings().seeded(seed);
            case Utf16Key.NAME -> Key.utf16().seeded(seed);
            case LongKey.NAME -> Key.longs().seeded(seed);
            case IntKey.NAME -> Key.ints().seeded(seed);
            case DoubleKey.NAME -> Key.doubles().seeded(seed);
            case UuidKey.NAME -> Key.uuids().seeded(seed);
            case AddressKey.NAME -> Key.addresses().seeded(seed);
            case Urls.NAME -> Key.urls().seeded(seed);
            default -> kmersOrUnknown(name, seed);
        };
        return name.equals(base.name())
                ? base
                : renamed(base, name.substring(base(name).length() + OF.length()));
    }

    private static Key<?> kmersOrUnknown(String name, long seed) {
        for (int bases = 1; bases <= Kmers.MAX_BASES; bases++) {
            if (base(name).equals(Kmers.PREFIX + bases)) {
                return Key.kmers(bases).seeded(seed);
            }
        }
        return new UnknownKey(name, seed);
    }

    private static <T> Key<T> renamed(Key<T> key, String part) {
        return key instanceof Key.Stored<T> stored
                ? stored.on(part, value -> value, value -> value)
                : key.on(part, value -> value);
    }

    /** Carries a name and a seed, and cannot hash. */
    private record UnknownKey(String name, long seed) implements Key<Object> {
        @Override
        public long hash(Object value) {
            throw new IllegalStateException("the key '" + name
                    + "' is defined by the program that wrote the file: open the file with that key, or ask by hash");
        }

        @Override
        public Key<Object> seeded(long otherSeed) {
            return new UnknownKey(name, otherSeed);
        }
    }
}
