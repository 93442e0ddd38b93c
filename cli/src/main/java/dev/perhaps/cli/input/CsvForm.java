package dev.perhaps.cli.input;

import de.siegmar.fastcsv.writer.CsvWriter;
import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A key is one column of a CSV file with a header line; the column is named, or numbered from 1. */
final class CsvForm implements KeyForm {
    private static final byte[] NO_TEXT = {};
    private static final int KEY = 0;
    private static final int WEIGHT = 1;
    private static final int TIME = 2;

    private final String column;
    private final Key<byte[]> key;
    private final Fields fields;
    private String header = "";

    CsvForm(String column, long seed, Fields fields) {
        this.fields = fields;
        this.column = column;
        this.key = Key.bytes().seeded(seed).on("csv:" + column, bytes -> bytes);
    }

    @Override
    public Key<?> key() {
        return key;
    }

    @Override
    public String header() {
        return header;
    }

    @Override
    public boolean keepsKeys() {
        return true;
    }

    @Override
    public void read(String name, InputStream in, Sink sink) throws IOException {
        each(name, in, sink, false);
    }

    @Override
    public void ask(String name, InputStream in, Sink sink) throws IOException {
        each(name, in, sink, true);
    }

    /** Only who asks wants a row's text back: it is written anew, which takes longer than reading it did. */
    private void each(String name, InputStream in, Sink sink, boolean withText) throws IOException {
        Entry entry = new Entry(name);
        int[] at = {-1, -1, -1};
        CsvRows.read(name, in, row -> {
            if (at[KEY] < 0) {
                at[KEY] = CsvRows.indexOf(name, column, row.getFields());
                at[WEIGHT] = fields.weight() == null ? -1 : CsvRows.indexOf(name, fields.weight(), row.getFields());
                at[TIME] = fields.time() == null ? -1 : CsvRows.indexOf(name, fields.time(), row.getFields());
                header = text(row.getFields());
                return;
            }
            entry.line(row.getStartingLineNumber());
            String weight = at[WEIGHT] < 0 ? null : row.getField(at[WEIGHT]);
            if (!fields.fill(entry, weight, at[TIME] < 0 ? null : row.getField(at[TIME]))) {
                return;
            }
            byte[] text = withText ? text(row.getFields()).getBytes(StandardCharsets.UTF_8) : NO_TEXT;
            entry.text(text, 0, text.length);
            byte[] value = row.getField(at[KEY]).getBytes(StandardCharsets.UTF_8);
            entry.key(value, 0, value.length);
            entry.hash(key.hash(value));
            sink.take(entry);
        });
    }

    private static String text(List<String> fields) throws IOException {
        StringWriter text = new StringWriter();
        try (CsvWriter writer = CsvWriter.builder().build(text)) {
            writer.writeRecord(fields);
        }
        return text.toString().stripTrailing();
    }
}
