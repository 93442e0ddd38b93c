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
    public boolean isByLine() {
        return true;
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
    public Key.Bytes lineKey() {
        return key;
    }

    @Override
    public void read(Input input, Input.Meter meter, Sink sink) throws IOException {
        Entry entry = new Entry(input.name());
        long[] line = {0};
        HashedLines.read(input, meter, key, HashedLines.Preparation.NONE, block -> {
            for (int i = 0; i < block.count(); i++) {
                int from = block.from(i);
                int to = block.to(i);
                entry.text(block.bytes(), from, to);
                entry.key(block.bytes(), from, to);
                entry.line(++line[0]);
                entry.hash(block.hashes()[i]);
                sink.take(entry);
            }
        });
    }

    @Override
    public void ask(Input input, Input.Meter meter, Sink sink) throws IOException {
        read(input, meter, sink);
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
