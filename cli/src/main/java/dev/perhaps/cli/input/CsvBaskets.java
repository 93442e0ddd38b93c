package dev.perhaps.cli.input;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** A row of a CSV file without a header is a basket, and every field that is not empty an item. */
final class CsvBaskets implements BasketForm {
    @Override
    public void read(String name, InputStream in, Sink sink) throws IOException {
        CsvRows.readRagged(name, in, row -> {
            for (String field : row.getFields()) {
                byte[] item = field.getBytes(StandardCharsets.UTF_8);
                if (item.length > 0) {
                    sink.item(item, 0, item.length);
                }
            }
            sink.end(name, row.getStartingLineNumber());
        });
    }
}
