package dev.perhaps.chord.wire;

import java.io.IOException;

/** Bytes that are no frame of ours: whoever sent them is not answered. */
public final class BadFrame extends IOException {
    public BadFrame(String message) {
        super(message);
    }
}
