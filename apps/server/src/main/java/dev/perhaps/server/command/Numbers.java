package dev.perhaps.server.command;

import dev.perhaps.server.wire.WireNumbers;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Numbers in the words of a request, and the error if a word is none. */
final class Numbers {
    private Numbers() {}

    static long orElse(byte[] word, long otherwise) {
        return WireNumbers.integer(word).orElse(otherwise);
    }

    static long orError(byte[] word, String error) {
        OptionalLong value = WireNumbers.integer(word);
        if (value.isEmpty()) {
            throw new CommandError(error);
        }
        return value.getAsLong();
    }

    static double realOrError(byte[] word, String error) {
        OptionalDouble value = WireNumbers.real(word);
        if (value.isEmpty()) {
            throw new CommandError(error);
        }
        return value.getAsDouble();
    }
}
