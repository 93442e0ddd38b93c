package dev.perhaps.sketch;

import java.io.IOException;

/** The bytes are not what they should be: cut short, changed, of a newer version, or written with another key. */
public class FormatException extends IOException {
    public FormatException(String message) {
        super(message);
    }
}
