package dev.perhaps.cli.input;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A key is one field of a JSON object a line; dots go into nested objects ({@code jsonl:user.email}). */
final class JsonlForm implements KeyForm {
    private static final JsonFactory JSON = new JsonFactory();

    private final String field;
    private final String[] path;
    private final Key<byte[]> key;

    JsonlForm(String field, long seed) {
        this.field = field;
        this.path = field.split("\\.", -1);
        this.key = Key.bytes().seeded(seed).on("jsonl:" + field, bytes -> bytes);
    }

    @Override
    public Key<?> key() {
        return key;
    }

    @Override
    public void read(String name, InputStream in, Sink sink) throws IOException {
        Entry entry = new Entry();
        long[] line = {0};
        Lines.read(name, in, (bytes, from, to) -> {
            line[0]++;
            if (isBlank(bytes, from, to)) {
                return;
            }
            String value = value(name, line[0], bytes, from, to);
            if (value == null) {
                throw new BadInput(name + " line " + line[0] + ": it has no field '" + field + "'");
            }
            entry.text(bytes, from, to);
            entry.hash(key.hash(value.getBytes(StandardCharsets.UTF_8)));
            sink.take(entry);
        });
    }

    /** The text of the field: a string as it is, a number or a truth value as it is written; null if it is not there. */
    private @Nullable String value(String name, long line, byte[] bytes, int from, int to) throws IOException {
        try (JsonParser json = JSON.createParser(bytes, from, to - from)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new BadInput(name + " line " + line + ": it is not a JSON object");
            }
            // The whole line is read, also behind the field: a line that is broken there is no JSON.
            String found = inside(name, line, json, 0);
            if (json.nextToken() != null) {
                throw new BadInput(name + " line " + line + ": more than one JSON object stands on it");
            }
            return found;
        } catch (JsonProcessingException e) {
            String why = e.getOriginalMessage();
            boolean encoding = why.contains("Invalid UTF-8");
            throw new BadInput(name + " line " + line + ": "
                    + (encoding
                            ? "it is not valid UTF-8: convert it first"
                            : "it is not valid JSON: " + firstLine(why)));
        }
    }

    private @Nullable String inside(String name, long line, JsonParser json, int depth) throws IOException {
        String found = null;
        while (json.nextToken() != JsonToken.END_OBJECT) {
            boolean mine = json.currentName().equals(path[depth]);
            JsonToken token = json.nextToken();
            if (mine && depth == path.length - 1) {
                if (token.isStructStart()) {
                    throw new BadInput(name + " line " + line + ": field '" + field + "' is no plain value");
                }
                found = token == JsonToken.VALUE_NULL ? null : json.getText();
            } else if (mine && token == JsonToken.START_OBJECT) {
                found = inside(name, line, json, depth + 1);
            } else {
                json.skipChildren();
            }
        }
        return found;
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
