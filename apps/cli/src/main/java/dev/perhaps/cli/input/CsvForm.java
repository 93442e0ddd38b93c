package dev.perhaps.cli.input;

import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A key is one column of a table, or several: {@code csv:email}, {@code csv:2}, {@code tsv:first,last}. */
final class CsvForm implements KeyForm {
    /*
     * A key of several columns is their values with a tab between them. For the tab to separate, it is escaped in the values:
     * \\ for a backslash, \t, \n and \r. So ("a", "b") and ("a\tb") differ, and so do ("a", "") and ("", "a").
     */
    private static final byte[] NO_TEXT = {};

    private final Table table;
    private final List<Column> columns;
    private final List<Column> beside = new ArrayList<>();
    private final Key<byte[]> key;
    private final Fields fields;
    private String header = "";

    CsvForm(Table table, String columns, long seed, Fields fields) {
        this.table = table;
        this.fields = fields;
        this.columns = Column.parse("--format", columns);
        if (fields.weight() != null) {
            beside.add(Column.one("--by", fields.weight()));
        }
        if (fields.time() != null) {
            beside.add(Column.one("--time", fields.time()));
        }
        String from = this.columns.stream().map(Column::text).collect(Collectors.joining(","));
        this.key = Key.bytes().seeded(seed).on(table.word() + ":" + from, bytes -> bytes);
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

    /** Only a lookup needs the text of a row again: it is written again, which takes longer than reading it did. */
    private void each(String name, InputStream in, Sink sink, boolean withText) throws IOException {
        Entry entry = new Entry(name);
        List<Integer> keysAt = new ArrayList<>();
        List<Integer> besideAt = new ArrayList<>();
        table.read(name, in, fields.bad(), (row, line) -> {
            if (keysAt.isEmpty()) {
                columns.forEach(column -> keysAt.add(column.indexIn(name, row, table.header())));
                beside.forEach(column -> besideAt.add(column.indexIn(name, row, table.header())));
                if (table.header()) {
                    table.checkHeader(name, row, columns);
                    header = table.text(row);
                    return;
                }
            }
            entry.line(line);
            String weight = fields.weight() == null ? null : row.get(besideAt.get(0));
            String time = fields.time() == null ? null : row.get(besideAt.get(besideAt.size() - 1));
            if (!fields.fill(entry, weight, time)) {
                return;
            }
            byte[] text = withText ? table.text(row).getBytes(StandardCharsets.UTF_8) : NO_TEXT;
            entry.text(text, 0, text.length);
            byte[] value = value(row, keysAt).getBytes(StandardCharsets.UTF_8);
            entry.key(value, 0, value.length);
            entry.hash(key.hash(value));
            sink.take(entry);
        });
    }

    private static String value(List<String> row, List<Integer> at) {
        if (at.size() == 1) {
            return row.get(at.get(0));
        }
        StringBuilder value = new StringBuilder();
        for (int i = 0; i < at.size(); i++) {
            value.append(i == 0 ? "" : "\t");
            String part = row.get(at.get(i));
            for (int c = 0; c < part.length(); c++) {
                switch (part.charAt(c)) {
                    case '\\' -> value.append("\\\\");
                    case '\t' -> value.append("\\t");
                    case '\n' -> value.append("\\n");
                    case '\r' -> value.append("\\r");
                    default -> value.append(part.charAt(c));
                }
            }
        }
        return value.toString();
    }
}
