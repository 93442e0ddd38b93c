package dev.perhaps.cli.input;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.util.List;

/** The rows of a CSV file, and its columns by name. */
final class CsvRows {
    private CsvRows() {}

    /** Takes a row; the first one too, if that is a header. */
    @FunctionalInterface
    interface Sink {
        void take(CsvRecord row) throws IOException;
    }

    /** Rows that all have as many fields as the first. */
    static void read(String name, InputStream in, Sink sink) throws IOException {
        read(name, in, CsvReader.builder(), sink);
    }

    /** Rows of any number of fields each. */
    static void readRagged(String name, InputStream in, Sink sink) throws IOException {
        read(
                name,
                in,
                CsvReader.builder()
                        .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                        .extraFieldStrategy(FieldMismatchStrategy.IGNORE),
                sink);
    }

    private static void read(String name, InputStream in, CsvReader.CsvReaderBuilder builder, Sink sink)
            throws IOException {
        long line = 1;
        try (CsvReader<CsvRecord> rows = builder.ofCsvRecord(behindMark(in))) {
            for (CsvRecord row : rows) {
                line = row.getStartingLineNumber();
                sink.take(row);
            }
        } catch (CharacterCodingException e) {
            throw refusal(name, line, e);
        } catch (UncheckedIOException | CsvParseException e) {
            if (e.getCause() instanceof IOException io) {
                throw refusal(name, line, io);
            }
            throw new BadInput(name + " after line " + line + ": this is no CSV: " + e.getMessage());
        }
    }

    /** A byte order mark is no part of the first field. */
    private static Reader behindMark(InputStream in) throws IOException {
        BufferedReader reader = new BufferedReader(Utf8.reader(in));
        reader.mark(1);
        if (reader.read() != '\uFEFF') {
            reader.reset();
        }
        return reader;
    }

    private static IOException refusal(String name, long line, IOException e) {
        if (e instanceof CharacterCodingException) {
            throw new BadInput(name + " after line " + line + ": it is not valid UTF-8: convert it first");
        }
        return e;
    }

    /** Where a column stands that is named, or numbered from 1. */
    static int indexOf(String name, String column, List<String> names) {
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
}
