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

/** The rows of a CSV file. */
final class CsvRows {
    private CsvRows() {}

    /** Takes a row; the first one too, if that is a header. */
    @FunctionalInterface
    interface Sink {
        void take(CsvRecord row) throws IOException;
    }

    /** Rows of any number of fields each. */
    static void read(String name, InputStream in, char delimiter, Sink sink) throws IOException {
        long line = 1;
        try (QuoteTracker text = new QuoteTracker(behindMark(in), delimiter);
                CsvReader<CsvRecord> rows = CsvReader.builder()
                        .fieldSeparator(delimiter)
                        .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                        .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                        .ofCsvRecord(text)) {
            for (CsvRecord row : rows) {
                line = row.getStartingLineNumber();
                if (text.isUnclosed()) {
                    // The last field holds all the rows that follow the quote.
                    throw new BadInput(name + " line " + line
                            + ": a quote is opened in this row and never closed: a quote in a field is written \"\"");
                }
                sink.take(row);
            }
        } catch (CharacterCodingException e) {
            throw refusal(name, line, e);
        } catch (UncheckedIOException | CsvParseException e) {
            if (e.getCause() instanceof IOException io) {
                throw refusal(name, line, io);
            }
            throw new BadInput(name + " after line " + line + ": not CSV: " + e.getMessage());
        }
    }

    /** A byte order mark is not part of the first field. */
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
}
