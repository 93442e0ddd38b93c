package dev.perhaps.server.keyspace;

import dev.perhaps.foreign.RedisBloom;
import dev.perhaps.foreign.RedisCountMin;
import dev.perhaps.foreign.RedisCuckoo;
import dev.perhaps.foreign.RedisTDigest;
import dev.perhaps.foreign.RedisTopK;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import java.io.IOException;
import java.io.InputStream;

/** The types of values: the number that files have, and the word that {@code TYPE} returns. */
public enum ValueType {
    /** Plain bytes. */
    STRING(0, "string") {
        @Override
        Value content(InputStream in, long maxBytes) throws IOException {
            return StringValue.readFrom(in, maxBytes);
        }
    },
    /** A Bloom filter. */
    BLOOM(1, "MBbloom--") {
        @Override
        Value content(InputStream in, long maxBytes) throws IOException {
            return new BloomValue(RedisBloom.readFrom(in, maxBytes));
        }
    },
    /** A cuckoo filter. */
    CUCKOO(2, "MBbloomCF") {
        @Override
        Value content(InputStream in, long maxBytes) throws IOException {
            return new CuckooValue(RedisCuckoo.readFrom(in, maxBytes));
        }
    },
    /** A count-min sketch. */
    COUNT_MIN(3, "CMSk-TYPE") {
        @Override
        Value content(InputStream in, long maxBytes) throws IOException {
            return new CountMinValue(RedisCountMin.readFrom(in, maxBytes));
        }
    },
    /** A top list. */
    TOP_K(4, "TopK-TYPE") {
        @Override
        Value content(InputStream in, long maxBytes) throws IOException {
            return new TopKValue(RedisTopK.readFrom(in, maxBytes));
        }
    },
    /** A t-digest. */
    T_DIGEST(5, "TDIS-TYPE") {
        @Override
        Value content(InputStream in, long maxBytes) throws IOException {
            return new TDigestValue(RedisTDigest.readFrom(in, maxBytes));
        }
    },
    /** A structure of the library; {@code TYPE} returns its kind. */
    SKETCH(6, "sketch") {
        @Override
        Value content(InputStream in, long maxBytes) throws IOException {
            return SketchValue.readFrom(in, maxBytes);
        }
    },
    /** Hashes that are collected for a filter. */
    HASHES(7, "hashes") {
        @Override
        Value content(InputStream in, long maxBytes) throws IOException {
            return HashesValue.readFrom(in, maxBytes);
        }
    },
    /** A ring of nodes. */
    RING(8, "ring") {
        @Override
        Value content(InputStream in, long maxBytes) throws IOException {
            return RingValue.readFrom(in, maxBytes);
        }
    },
    /** What clients report of a cache. */
    GUARD(9, "guard") {
        @Override
        Value content(InputStream in, long maxBytes) throws IOException {
            return GuardValue.readFrom(in);
        }
    },
    /** Hashes of leaked passwords. */
    LEAKED_HASHES(10, "leaked-hashes") {
        @Override
        Value content(InputStream in, long maxBytes) throws IOException {
            return LeakedHashesValue.readFrom(in, maxBytes);
        }
    };

    private final int number;
    private final String word;

    ValueType(int number, String word) {
        this.number = number;
        this.word = word;
    }

    /** Returns the number in files. */
    public int number() {
        return number;
    }

    /** Returns the word that {@code TYPE} returns. */
    public String word() {
        return word;
    }

    abstract Value content(InputStream in, long maxBytes) throws IOException;

    /** Reads a value of this type; one that takes more than {@code maxBytes} bytes is refused. */
    public Value read(InputStream in, long maxBytes) throws IOException {
        return content(in, maxBytes);
    }

    /** Returns the type with this number. */
    public static ValueType numbered(int number) throws FormatException {
        for (ValueType type : values()) {
            if (type.number == number) {
                return type;
            }
        }
        throw new FormatException("there is no type of values with the number " + number
                + ": it was written by a newer version, or is damaged");
    }

    /** Returns true if {@code TYPE} may return this word, in any case. */
    public static boolean isWord(String word) {
        for (ValueType type : values()) {
            if (type != SKETCH && type.word.equalsIgnoreCase(word)) {
                return true;
            }
        }
        for (Kind kind : SketchValue.KINDS) {
            if (kind.word().equalsIgnoreCase(word)) {
                return true;
            }
        }
        return false;
    }
}
