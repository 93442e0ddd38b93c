package dev.perhaps.cli.input;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perhaps.key.Key;
import dev.perhaps.key.Kmers;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * The keys are the k-mers of the sequences in FASTA ({@code >name}, then lines of letters) or FASTQ (four lines per
 * read). A record is a sequence and its text is its name; it comes in pieces, one per line, so that a chromosome needs
 * no memory.
 */
final class KmersForm implements KeyForm {
    private final Kmers key;

    KmersForm(int bases, long seed) {
        this.key = Key.kmers(bases).seeded(seed);
    }

    @Override
    public Key<?> key() {
        return key;
    }

    @Override
    public boolean manyKeysEach() {
        return true;
    }

    @Override
    public void read(String name, InputStream in, Sink sink) throws IOException {
        Reader reader = new Reader(name, key.window(), sink);
        Lines.read(name, in, reader);
        reader.end();
    }

    private enum Expected {
        RECORD,
        FASTA_LETTERS,
        FASTQ_LETTERS,
        FASTQ_PLUS,
        FASTQ_QUALITIES
    }

    private static final class Reader implements Lines.Sink {
        private final String name;
        private final Kmers.Window window;
        private final Sink sink;
        private final Entry entry;
        private byte[] title = new byte[0];
        private Expected next = Expected.RECORD;
        private long line;
        private int letters;

        Reader(String name, Kmers.Window window, Sink sink) {
            this.name = name;
            this.entry = new Entry(name);
            this.window = window;
            this.sink = sink;
        }

        @Override
        public void take(byte[] bytes, int from, int to) throws IOException {
            line++;
            switch (next) {
                case RECORD -> begin(bytes, from, to);
                case FASTA_LETTERS -> {
                    if (from < to && bytes[from] == '>') {
                        piece(bytes, from, from, true);
                        begin(bytes, from, to);
                    } else {
                        piece(bytes, from, to, false);
                    }
                }
                case FASTQ_LETTERS -> {
                    letters = to - from;
                    piece(bytes, from, to, true);
                    next = Expected.FASTQ_PLUS;
                }
                case FASTQ_PLUS -> {
                    if (from == to || bytes[from] != '+') {
                        throw bad("a line with + was expected here, the third of the four lines of a FASTQ read");
                    }
                    next = Expected.FASTQ_QUALITIES;
                }
                case FASTQ_QUALITIES -> {
                    if (to - from != letters) {
                        throw bad("a FASTQ read has a quality for each letter, got " + (to - from) + " for " + letters);
                    }
                    next = Expected.RECORD;
                }
            }
        }

        private void begin(byte[] bytes, int from, int to) {
            if (from == to) {
                return;
            }
            if (bytes[from] != '>' && bytes[from] != '@') {
                throw bad("a sequence starts with > (FASTA) or @ (FASTQ)");
            }
            next = bytes[from] == '>' ? Expected.FASTA_LETTERS : Expected.FASTQ_LETTERS;
            int end = from + 1;
            while (end < to && bytes[end] != ' ' && bytes[end] != '\t') {
                end++;
            }
            title = Arrays.copyOfRange(bytes, from + 1, end);
            window.restart();
        }

        private void piece(byte[] bytes, int from, int to, boolean last) throws IOException {
            entry.text(title, 0, title.length);
            entry.hashes(window.roll(bytes, from, to, entry.room(to - from)));
            entry.last(last);
            entry.line(line);
            sink.take(entry);
        }

        void end() throws IOException {
            if (next == Expected.FASTA_LETTERS) {
                piece(title, 0, 0, true);
            } else if (next != Expected.RECORD) {
                throw bad("the FASTQ read '" + new String(title, UTF_8) + "' ends before its four lines do");
            }
        }

        private BadInput bad(String why) {
            return new BadInput(name + " line " + line + ": " + why);
        }
    }
}
