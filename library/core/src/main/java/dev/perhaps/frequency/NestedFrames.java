package dev.perhaps.frequency;

import dev.perhaps.frame.FrameReader;
import dev.perhaps.frame.PayloadOutput;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Sketch;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** Sketches inside the payload of another: whole frames, one behind the other. */
final class NestedFrames {
    private NestedFrames() {}

    static void write(Sketch sketch, PayloadOutput payload) throws IOException {
        sketch.writeTo(new OutputStream() {
            @Override
            public void write(int oneByte) throws IOException {
                payload.bytes(new byte[] {(byte) oneByte});
            }

            @Override
            public void write(byte[] bytes, int from, int count) throws IOException {
                payload.bytes(Arrays.copyOfRange(bytes, from, from + count));
            }
        });
    }

    /** Reads a structure from the frame that comes next. */
    interface Reader<S> {
        S read(FrameReader in) throws IOException;
    }

    static <S> S read(ByteArrayInputStream in, Reader<S> reader) throws IOException {
        try {
            return reader.read(FrameReader.open(in, in.available()));
        } catch (FormatException e) {
            throw new FormatException("a part of it cannot be read: " + e.getMessage());
        }
    }
}
