package dev.perhaps.server.keyspace;

import dev.perhaps.foreign.StableView;
import java.io.IOException;
import java.io.OutputStream;

/** The content of a value as it was, which is written once, while the value changes. */
public interface ValueView extends AutoCloseable {
    /** Returns the length of what {@link #writeTo} writes. */
    long fileBytes();

    /** Writes what {@code writeTo} of the value would have written when the view was made. */
    void writeTo(OutputStream out) throws IOException;

    /** Ends the view: nothing is kept for it any more, and nobody waits for it. */
    @Override
    void close();

    /** Returns the view of a structure of the library. */
    static ValueView of(StableView view) {
        return new ValueView() {
            @Override
            public long fileBytes() {
                return view.fileBytes();
            }

            @Override
            public void writeTo(OutputStream out) throws IOException {
                view.writeTo(out);
            }

            @Override
            public void close() {
                view.close();
            }
        };
    }
}
