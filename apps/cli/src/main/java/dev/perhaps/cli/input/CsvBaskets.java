package dev.perhaps.cli.input;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** A row of a table without a header is a basket, and every field that is not empty an item. */
final class CsvBaskets implements BasketForm {
    private final Table table;
    private final BadRecords bad;

    CsvBaskets(Table table, BadRecords bad) {
        this.table = table;
        this.bad = bad;
    }

    @Override
    public void read(String name, InputStream in, Sink sink) throws IOException {
        table.readRagged(name, in, bad, (row, line) -> {
            for (String field : row) {
                byte[] item = field.getBytes(StandardCharsets.UTF_8);
                if (item.length > 0) {
                    sink.item(item, 0, item.length);
                }
            }
            sink.end(name, line);
        });
    }
}
