package dev.perhaps.cli.input;

import de.siegmar.fastcsv.writer.CsvWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * How a table is written: {@code csv}, with quotes and any delimiter, or {@code tsv}, where a line is a row, a tab ends a field and
 * nothing is quoted; with or without a header row.
 */
final class Table {
    private static final String NO_HEADER = "no-header";
    private static final String DELIMITER = "delimiter=U+";

    private final boolean tabs;
    private final char delimiter;
    private final boolean header;
    private final Consumer<String> warn;
    private boolean warned;

    private Table(boolean tabs, char delimiter, boolean header, Consumer<String> warn) {
        this.tabs = tabs;
        this.delimiter = delimiter;
        this.header = header;
        this.warn = warn;
    }

    /** The table that a format's first word names: {@code csv} or {@code tsv}, with the settings that a file's key name holds. */
    static Table of(String word, TableOptions options) {
        String[] parts = word.split("/", -1);
        boolean tabs = parts[0].equals("tsv");
        boolean header = options.header();
        char delimiter = tabs ? '\t' : ',';
        for (String part : Arrays.asList(parts).subList(1, parts.length)) {
            if (part.equals(NO_HEADER)) {
                header = false;
            } else if (part.matches("delimiter=U\\+[0-9A-F]{4}") && !tabs) {
                delimiter = (char) Integer.parseInt(part.substring(DELIMITER.length()), 16);
            } else {
                throw new BadInput("there is no format '" + word + "': use " + KeyForm.ALL);
            }
        }
        if (options.delimiter() != null) {
            if (tabs) {
                throw new BadInput("--delimiter is for csv: tsv is separated by tabs, got --delimiter '"
                        + options.delimiter() + "'");
            }
            delimiter = delimiter(options.delimiter());
        }
        return new Table(tabs, delimiter, header, options.warn());
    }

    private static char delimiter(String text) {
        String character = text.equals("\\t") ? "\t" : text;
        if (character.length() != 1 || "\"\r\n".contains(character) || Character.isSurrogate(character.charAt(0))) {
            throw new BadInput(
                    "--delimiter must be one character, such as ';' or '\\t', but no quote or line break, got '" + text
                            + "'");
        }
        return character.charAt(0);
    }

    /** The first word of the format, with all that is not as usual, for a file's key name. */
    String word() {
        return (tabs ? "tsv" : "csv")
                + (header ? "" : "/" + NO_HEADER)
                + (tabs || delimiter == ',' ? "" : String.format("/%s%04X", DELIMITER, (int) delimiter));
    }

    boolean header() {
        return header;
    }

    /** Takes a row with the line that it starts on. */
    @FunctionalInterface
    interface Sink {
        void take(List<String> row, long line) throws IOException;
    }

    /** Reads all rows, the first one too if that is a header. All have as many fields as the first: others are bad records. */
    void read(String name, InputStream in, BadRecords bad, Sink sink) throws IOException {
        int[] width = {-1};
        readRagged(name, in, bad, (row, line) -> {
            if (width[0] < 0) {
                width[0] = row.size();
            } else if (row.size() != width[0]) {
                bad.take(name + " line " + line + ": it has " + row.size() + (row.size() == 1 ? " field" : " fields")
                        + ", the first row has " + width[0]);
                return;
            }
            sink.take(row, line);
        });
    }

    /** Rows of any number of fields each. */
    void readRagged(String name, InputStream in, BadRecords bad, Sink sink) throws IOException {
        if (tabs) {
            readLines(name, in, bad, sink);
        } else {
            CsvRows.read(name, in, delimiter, row -> sink.take(row.getFields(), row.getStartingLineNumber()));
        }
    }

    private static void readLines(String name, InputStream in, BadRecords bad, Sink sink) throws IOException {
        long[] line = {0};
        Lines.read(name, in, (bytes, start, end) -> {
            int from = line[0] == 0 ? Texts.behindMark(bytes, start, end) : start;
            line[0]++;
            if (from == end) {
                return;
            }
            String text;
            try {
                text = StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes, from, end - from))
                        .toString();
            } catch (CharacterCodingException e) {
                bad.take(name + " line " + line[0] + ": it is not valid UTF-8: convert it first");
                return;
            }
            sink.take(Arrays.asList(text.split("\t", -1)), line[0]);
        });
    }

    /** Warns, once, if columns are named by position and the header row that is skipped looks like data. */
    void checkHeader(String name, List<String> first, List<Column> columns) {
        boolean byPosition = columns.stream().allMatch(column -> column.name() == null);
        if (header && byPosition && !warned && first.stream().anyMatch(Table::looksLikeData)) {
            warned = true;
            warn.accept(name + ": its first row, '" + text(first)
                    + "', is taken for the header and not read: use --no-header if it is data");
        }
    }

    private static boolean looksLikeData(String field) {
        return field.matches("[-+]?[0-9]+([.,][0-9]+)?");
    }

    /** Returns a row in the format of the table. */
    String text(List<String> row) {
        if (tabs) {
            return String.join("\t", row);
        }
        StringWriter text = new StringWriter();
        try (CsvWriter writer = CsvWriter.builder().fieldSeparator(delimiter).build(text)) {
            writer.writeRecord(row);
        } catch (IOException e) {
            throw new AssertionError("a string takes everything", e);
        }
        String line = text.toString();
        return line.endsWith("\r\n") ? line.substring(0, line.length() - 2) : line;
    }
}
