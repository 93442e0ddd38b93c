package dev.perhaps.chord.wire;

import java.io.IOException;

/** Bytes that are not a valid frame. Their sender gets no response. */
public final class BadFrame extends IOException {
    public BadFrame(String message) {
        super(message);
    }
}
