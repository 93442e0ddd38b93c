package dev.perhaps.cli.input;

import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads one JSON object per line; a key is one field, and dots select fields of nested objects ({@code jsonl:user.email}). */
final class JsonlForm implements KeyForm {
    /** The places of the values that are read. */
    private static final int KEY = 0;

    private static final int WEIGHT = 1;
    private static final int TIME = 2;

    private final JsonFields json;
    private final Fields fields;
    private final Key<byte[]> key;

    JsonlForm(String field, long seed, Fields fields) {
        this.fields = fields;
        this.json = new JsonFields(field, orEmpty(fields.weight()), orEmpty(fields.time()));
        this.key = Key.bytes().seeded(seed).on("jsonl:" + field, bytes -> bytes);
    }

    private static String orEmpty(@Nullable String name) {
        return name == null ? "" : name;
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
    public void read(String name, InputStream in, Sink sink) throws IOException {
        Entry entry = new Entry(name);
        @Nullable String[] values = new @Nullable String[TIME + 1];
        long[] line = {0};
        Lines.read(name, in, (bytes, from, to) -> {
            line[0]++;
            if (isBlank(bytes, from, to)) {
                return;
            }
            entry.line(line[0]);
            String problem = json.parse(bytes, from, to, values);
            String value = values[KEY];
            if (problem == null && value == null) {
                problem = "it has no field '" + json.name(KEY) + "'";
            }
            if (problem != null || value == null) {
                fields.bad().take(entry.where() + ": " + problem);
                return;
            }
            if (!fields.fill(entry, values[WEIGHT], values[TIME])) {
                return;
            }
            byte[] text = value.getBytes(StandardCharsets.UTF_8);
            entry.text(bytes, from, to);
            entry.key(text, 0, text.length);
            entry.hash(key.hash(text));
            sink.take(entry);
        });
    }

    static boolean isBlank(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] != ' ' && bytes[i] != '\t') {
                return false;
            }
        }
        return true;
    }
}
