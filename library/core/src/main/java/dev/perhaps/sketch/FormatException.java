package dev.perhaps.sketch;

import java.io.IOException;

/** The bytes are not what they should be: cut short, changed, of a newer version, or written with another key. */
public class FormatException extends IOException {
    /** Creates an exception whose message names what is wrong with the bytes, in one line. */
    public FormatException(String message) {
        super(message);
    }
}
