package dev.perhaps.cli.input;

import dev.perhaps.key.Key;
import dev.perhaps.key.Urls;
import java.io.IOException;
import java.io.InputStream;

/**
 * A line is a URL: added in its canonical form, asked for by its expressions, so that a list's host or folder is found in
 * every page below it. Empty lines and lines that start with {@code #} are skipped.
 */
final class UrlsForm implements KeyForm {
    private final Urls key;
    private final BadRecords bad;

    UrlsForm(long seed, BadRecords bad) {
        this.bad = bad;
        this.key = Key.urls().seeded(seed);
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
    public int hashesPerQuery() {
        return Urls.MAX_EXPRESSIONS;
    }

    @Override
    public void read(String name, InputStream in, Sink sink) throws IOException {
        each(name, in, sink, (url, entry) -> entry.hash(key.hash(url)));
    }

    @Override
    public void ask(String name, InputStream in, Sink sink) throws IOException {
        each(name, in, sink, (url, entry) -> entry.hashes(key.hashes(url, entry.room(Urls.MAX_EXPRESSIONS))));
    }

    private interface Hashing {
        void hash(String url, Entry entry);
    }

    private void each(String name, InputStream in, Sink sink, Hashing hashing) throws IOException {
        Entry entry = new Entry(name);
        long[] line = {0};
        Lines.read(name, in, (bytes, from, to) -> {
            line[0]++;
            if (from == to || bytes[from] == '#') {
                return;
            }
            entry.text(bytes, from, to);
            entry.line(line[0]);
            try {
                hashing.hash(Urls.text(bytes, from, to), entry);
            } catch (IllegalArgumentException e) {
                bad.take(name + " line " + line[0] + ": " + e.getMessage());
                return;
            }
            sink.take(entry);
        });
    }
}
