package dev.perhaps.cli.input;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.writer.CsvWriter;
import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A key is one column of a CSV file with a header line; the column is named, or numbered from 1. */
final class CsvForm implements KeyForm {
    private static final byte[] NO_TEXT = {};

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
        long line = 1;
        try (CsvReader<CsvRecord> rows = CsvReader.builder().ofCsvRecord(Utf8.reader(in))) {
            int index = -1;
            int weightAt = -1;
            int timeAt = -1;
            for (CsvRecord row : rows) {
                line = row.getStartingLineNumber();
                if (index < 0) {
                    index = indexOf(name, column, row.getFields());
                    weightAt = fields.weight() == null ? -1 : indexOf(name, fields.weight(), row.getFields());
                    timeAt = fields.time() == null ? -1 : indexOf(name, fields.time(), row.getFields());
                    header = text(row.getFields());
                    continue;
                }
                entry.line(line);
                String weight = weightAt < 0 ? null : row.getField(weightAt);
                if (!fields.fill(entry, weight, timeAt < 0 ? null : row.getField(timeAt))) {
                    continue;
                }
                byte[] text = withText ? text(row.getFields()).getBytes(StandardCharsets.UTF_8) : NO_TEXT;
                entry.text(text, 0, text.length);
                byte[] value = row.getField(index).getBytes(StandardCharsets.UTF_8);
                entry.key(value, 0, value.length);
                entry.hash(key.hash(value));
                sink.take(entry);
            }
        } catch (UncheckedIOException | CsvParseException e) {
            if (e.getCause() instanceof IOException io) {
                throw refusal(name, line, io);
            }
            throw new BadInput(name + " after line " + line + ": this is no CSV: " + e.getMessage());
        }
    }

    private static IOException refusal(String name, long line, IOException e) {
        if (e instanceof CharacterCodingException) {
            throw new BadInput(name + " after line " + line + ": it is not valid UTF-8: convert it first");
        }
        return e;
    }

    private static int indexOf(String name, String column, List<String> names) {
        int index = names.indexOf(column);
        if (index >= 0) {
            return index;
        }
        if (column.chars().allMatch(Character::isDigit) && column.length() < 6) {
            int number = Integer.parseInt(column);
            if (number >= 1 && number <= names.size()) {
                return number - 1;
            }
        }
        throw new BadInput(
                name + ": there is no column '" + column + "'; its header names " + String.join(", ", names));
    }

    private static String text(List<String> fields) throws IOException {
        StringWriter text = new StringWriter();
        try (CsvWriter writer = CsvWriter.builder().build(text)) {
            writer.writeRecord(fields);
        }
        return text.toString().stripTrailing();
    }
}
