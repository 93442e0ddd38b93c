package dev.perhaps.cli.input;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of some fields of a JSON object; dots in a name go into nested objects. Safe for any number of threads. */
final class JsonFields {
    /** A document may be as long as a line can be. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private final String[] names;
    private final String[][] paths;

    /** An empty name is a field that is not there. */
    JsonFields(String... names) {
        this.names = names.clone();
        this.paths = new String[names.length][];
        for (int i = 0; i < names.length; i++) {
            paths[i] = names[i].isEmpty() ? new String[0] : names[i].split("\\.", -1);
        }
    }

    String name(int field) {
        return names[field];
    }

    /**
     * Finds the texts of the fields: a string as it is, a number or a truth value as it is written, null if it is not there.
     * Returns what is wrong with the line, or null.
     */
    @Nullable
    String parse(byte[] bytes, int from, int to, @Nullable String[] values) throws IOException {
        return parse(bytes, from, to, values, null);
    }

    /** The same where a field may be a list of such values, which are put into {@code elements}; its own value is then "". */
    @Nullable
    String parse(byte[] bytes, int from, int to, @Nullable String[] values, @Nullable List<String> elements)
            throws IOException {
        Arrays.fill(values, null);
        try (JsonParser json = JSON.createParser(bytes, from, to - from)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                return "it is not a JSON object";
            }
            // The whole line is read, also behind the fields: a line that is broken there is no JSON.
            String problem = inside(json, 0, (1 << names.length) - 1, values, elements);
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
    private @Nullable String inside(
            JsonParser json, int depth, int open, @Nullable String[] values, @Nullable List<String> elements)
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
                    if (token == JsonToken.START_ARRAY && elements != null) {
                        if (!list(json, elements)) {
                            return "the list '" + names[i] + "' holds null, a list or an object";
                        }
                        values[i] = "";
                        continue;
                    }
                    if (token.isStructStart()) {
                        return "field '" + names[i] + "' is not a plain value";
                    }
                    values[i] = token == JsonToken.VALUE_NULL ? null : json.getText();
                }
            }
            if (deeper != 0 && token == JsonToken.START_OBJECT) {
                String problem = inside(json, depth + 1, deeper, values, elements);
                if (problem != null) {
                    return problem;
                }
            } else {
                json.skipChildren();
            }
        }
        return null;
    }

    /** Reads the rest of a list; false if it holds what is not a plain value. */
    private static boolean list(JsonParser json, List<String> elements) throws IOException {
        elements.clear();
        JsonToken token = json.nextToken();
        while (token != JsonToken.END_ARRAY) {
            if (token.isStructStart() || token == JsonToken.VALUE_NULL) {
                return false;
            }
            elements.add(json.getText());
            token = json.nextToken();
        }
        return true;
    }

    private static String firstLine(String text) {
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }
}
