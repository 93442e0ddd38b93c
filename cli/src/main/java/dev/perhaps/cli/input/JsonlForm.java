package dev.perhaps.cli.input;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A key is one field of a JSON object a line; dots go into nested objects ({@code jsonl:user.email}). */
final class JsonlForm implements KeyForm {
    private static final JsonFactory JSON = new JsonFactory();

    /** The places of the values that are read. */
    private static final int KEY = 0;

    private static final int WEIGHT = 1;
    private static final int TIME = 2;

    private final String[][] paths;
    private final String[] names;
    private final Fields fields;
    private final Key<byte[]> key;

    JsonlForm(String field, long seed, Fields fields) {
        this.fields = fields;
        this.names = new String[] {field, orEmpty(fields.weight()), orEmpty(fields.time())};
        this.paths = new String[names.length][];
        for (int i = 0; i < names.length; i++) {
            paths[i] = names[i].isEmpty() ? new String[0] : names[i].split("\\.", -1);
        }
        this.key = Key.bytes().seeded(seed).on("jsonl:" + field, bytes -> bytes);
    }

    private static String orEmpty(@Nullable String name) {
        return name == null ? "" : name;
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
        @Nullable String[] values = new @Nullable String[names.length];
        long[] line = {0};
        Lines.read(name, in, (bytes, from, to) -> {
            line[0]++;
            if (isBlank(bytes, from, to)) {
                return;
            }
            entry.line(line[0]);
            String problem = parse(bytes, from, to, values);
            String value = values[KEY];
            if (problem == null && value == null) {
                problem = "it has no field '" + names[KEY] + "'";
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

    /**
     * Finds the texts of the fields: a string as it is, a number or a truth value as it is written, null if it is not there.
     * Returns what is wrong with the line, or null.
     */
    private @Nullable String parse(byte[] bytes, int from, int to, @Nullable String[] values) throws IOException {
        Arrays.fill(values, null);
        try (JsonParser json = JSON.createParser(bytes, from, to - from)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                return "it is not a JSON object";
            }
            // The whole line is read, also behind the fields: a line that is broken there is no JSON.
            String problem = inside(json, 0, (1 << names.length) - 1, values);
            if (problem != null) {
                return problem;
            }
            return json.nextToken() == null ? null : "more than one JSON object stands on it";
        } catch (JsonProcessingException e) {
            String why = e.getOriginalMessage();
            return why.contains("Invalid UTF-8")
                    ? "it is not valid UTF-8: convert it first"
                    : "it is not valid JSON: " + firstLine(why);
        }
    }

    /** Reads one object; bit i of {@code open} says that path i has led here. */
    private @Nullable String inside(JsonParser json, int depth, int open, @Nullable String[] values)
            throws IOException {
        while (json.nextToken() != JsonToken.END_OBJECT) {
            int deeper = 0;
            int here = 0;
            for (int i = 0; i < paths.length; i++) {
                boolean mine = (open & 1 << i) != 0
                        && paths[i].length > depth
                        && json.currentName().equals(paths[i][depth]);
                here |= mine && paths[i].length == depth + 1 ? 1 << i : 0;
                deeper |= mine && paths[i].length > depth + 1 ? 1 << i : 0;
            }
            JsonToken token = json.nextToken();
            for (int i = 0; i < paths.length; i++) {
                if ((here & 1 << i) != 0) {
                    if (token.isStructStart()) {
                        return "field '" + names[i] + "' is no plain value";
                    }
                    values[i] = token == JsonToken.VALUE_NULL ? null : json.getText();
                }
            }
            if (deeper != 0 && token == JsonToken.START_OBJECT) {
                String problem = inside(json, depth + 1, deeper, values);
                if (problem != null) {
                    return problem;
                }
            } else {
                json.skipChildren();
            }
        }
        return null;
    }

    private static boolean isBlank(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] != ' ' && bytes[i] != '\t') {
                return false;
            }
        }
        return true;
    }

    private static String firstLine(String text) {
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }
}
