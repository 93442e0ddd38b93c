package dev.perhaps.cli.input;

import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.InputStream;

/** A line is a key: the bytes between newlines, a trailing CR dropped, never decoded. */
final class LinesForm implements KeyForm {
    private final Key.Bytes key;

    LinesForm(long seed) {
        this.key = Key.bytes().seeded(seed);
    }

    @Override
    public Key<?> key() {
        return key;
    }

    @Override
    public boolean keepsKeys() {
        return true;
    }

    @Override
    public boolean isLines() {
        return true;
    }

    @Override
    public void read(String name, InputStream in, Sink sink) throws IOException {
        Entry entry = new Entry(name);
        long[] line = {0};
        Lines.read(name, in, (bytes, from, to) -> {
            entry.text(bytes, from, to);
            entry.key(bytes, from, to);
            entry.line(++line[0]);
            entry.hash(key.hash(bytes, from, to));
            sink.take(entry);
        });
    }
}
