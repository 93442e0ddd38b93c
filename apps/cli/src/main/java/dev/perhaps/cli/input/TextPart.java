package dev.perhaps.cli.input;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Documents that follow each other, for another process that reads them again. All parts of some texts hold each once. */
public interface TextPart extends Serializable {
    /** Takes a document, by its number among all. */
    @FunctionalInterface
    interface Sink {
        void take(int document, byte[] utf8) throws IOException;
    }

    void read(Sink sink) throws IOException;

    /** Files, from this number on. */
    record OfFiles(List<String> paths, int first) implements TextPart {
        private static final long serialVersionUID = 1;

        @Override
        public void read(Sink sink) throws IOException {
            for (int i = 0; i < paths.size(); i++) {
                try (Input.Open open = Input.all(List.of(paths.get(i))).get(0).open(Input.Meter.NONE)) {
                    byte[] text = open.stream().readAllBytes();
                    sink.take(first + i, Arrays.copyOfRange(text, Texts.behindMark(text, 0, text.length), text.length));
                }
            }
        }
    }

    /**
     * Lines of one input.
     *
     * @param to the end of the part, or {@link #WHOLE} if the input can only be read from its start to its end
     * @param first the number of the first document
     * @param count the number of documents
     * @param others the lines that are no documents, counted from the start of the part, in ascending order
     * @param field the field that is the text; the line itself if null
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record OfLines(
            String path,
            long from,
            long to,
            int first,
            int count,
            int[] others,
            @Nullable String field) implements TextPart {
        private static final long serialVersionUID = 1;
        static final long WHOLE = -1;

        @Override
        public void read(Sink sink) throws IOException {
            int found;
            if (to == WHOLE) {
                try (Input.Open open = Input.all(List.of(path)).get(0).open(Input.Meter.NONE)) {
                    found = read(open.stream(), sink);
                }
            } else {
                try (InputStream in = Input.range(path, from, to)) {
                    found = read(in, sink);
                }
            }
            if (found != count) {
                throw new IOException(path + " was changed while it was compared: try again when nothing changes it");
            }
        }

        private int read(InputStream in, Sink sink) throws IOException {
            JsonFields json = field == null ? null : new JsonFields(field, "");
            int[] line = {0};
            int[] other = {0};
            int[] found = {0};
            Lines.read(path, in, (bytes, start, end) -> {
                int begin = from == 0 && line[0] == 0 ? Texts.behindMark(bytes, start, end) : start;
                if (other[0] < others.length && others[other[0]] == line[0]) {
                    other[0]++;
                } else {
                    sink.take(first + found[0]++, text(json, bytes, begin, end));
                }
                line[0]++;
            });
            return found[0];
        }

        private byte[] text(@Nullable JsonFields json, byte[] bytes, int begin, int end) throws IOException {
            if (json == null) {
                return Arrays.copyOfRange(bytes, begin, end);
            }
            @Nullable String[] values = new @Nullable String[2];
            json.parse(bytes, begin, end, values);
            String text = values[0];
            if (text == null) {
                throw new IOException(path + " was changed while it was compared: try again when nothing changes it");
            }
            return text.getBytes(StandardCharsets.UTF_8);
        }
    }
}
