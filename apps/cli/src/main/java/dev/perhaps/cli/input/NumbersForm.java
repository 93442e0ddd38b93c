package dev.perhaps.cli.input;

import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** A line is a whole number of 64 bits, as columns of tables hold them; a trailing CR is dropped, an empty line skipped. */
final class NumbersForm implements KeyForm {
    private final Key.Longs key;
    private final BadRecords bad;

    NumbersForm(long seed, BadRecords bad) {
        this.key = Key.longs().seeded(seed);
        this.bad = bad;
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
    public void read(String name, InputStream in, Sink sink) throws IOException {
        Entry entry = new Entry(name);
        long[] line = {0};
        Lines.read(name, in, (bytes, from, to) -> {
            line[0]++;
            if (from == to) {
                return;
            }
            long value;
            try {
                value = Long.parseLong(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1));
            } catch (NumberFormatException e) {
                bad.take(name + " line " + line[0] + ": '" + new String(bytes, from, to - from, StandardCharsets.UTF_8)
                        + "' is not a whole number from " + Long.MIN_VALUE + " to " + Long.MAX_VALUE);
                return;
            }
            entry.text(bytes, from, to);
            entry.line(line[0]);
            entry.hash(key.hash(value));
            sink.take(entry);
        });
    }
}
