package dev.perhaps.sketch;

import java.io.IOException;

/**
 * Thrown when bytes cannot be read as a structure: truncated, corrupted, of a newer version, or written with another
 * key.
 */
public class FormatException extends IOException {
    /** Creates an exception whose message names what is wrong with the bytes, in one line. */
    public FormatException(String message) {
        super(message);
    }
}
