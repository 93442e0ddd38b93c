package dev.perhaps.cli.input;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A basket is a field of the JSON object on a line: a list of strings, numbers or truth values. Blank lines are skipped. */
final class JsonlBaskets implements BasketForm {
    private final JsonFields json;
    private final BadRecords bad;

    JsonlBaskets(String field, BadRecords bad) {
        this.bad = bad;
        this.json = new JsonFields(field);
    }

    @Override
    public boolean isByLine() {
        return true;
    }

    @Override
    public void read(String name, InputStream in, Sink sink) throws IOException {
        long[] line = {0};
        @Nullable String[] values = new @Nullable String[1];
        List<String> items = new ArrayList<>();
        Lines.read(name, in, (bytes, start, end) -> {
            int from = line[0] == 0 ? Texts.behindMark(bytes, start, end) : start;
            line[0]++;
            if (JsonlForm.isBlank(bytes, from, end)) {
                return;
            }
            String problem = json.parse(bytes, from, end, values, items);
            if (problem == null && values[0] == null) {
                problem = "it has no field '" + json.name(0) + "', or it is null";
            } else if (problem == null && !values[0].isEmpty()) {
                problem = "field '" + json.name(0) + "' is not a list";
            }
            if (problem != null) {
                items.clear();
                bad.take(name + " line " + line[0] + ": " + problem);
                return;
            }
            for (String item : items) {
                byte[] text = item.getBytes(StandardCharsets.UTF_8);
                sink.item(text, 0, text.length);
            }
            items.clear();
            sink.end(name, line[0]);
        });
    }
}
