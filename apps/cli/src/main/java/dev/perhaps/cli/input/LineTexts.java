package dev.perhaps.cli.input;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lines as documents, or a field of the JSON object on each. Lines are kept as they came: in memory or, if they are too many for
 * that, where they stand, and in a file if they cannot be read there again. A byte order mark at the start of an input and a CR
 * at the end of a line are no part of them. Named by input and line number, or by a field.
 */
public final class LineTexts implements Texts {
    private static final int TEXT = 0;
    private static final int ID = 1;
    /** Files that are kept open at the same time, at most. */
    private static final int MAX_IN_PLACE = 64;

    private static final long PART_BYTES = 1 << 22;

    /** Null if the line is the text. */
    private final @Nullable JsonFields json;

    private final @Nullable String field;
    private final boolean named;
    private final BadRecords bad;
    private final List<TextPart> parts = new ArrayList<>();
    private final LineStore lines;
    /** Of each input, its name and its first document. */
    private final List<String> inputNames = new ArrayList<>();

    private int[] firsts = new int[4];
    /** Of each document, its line; not kept where documents have ids. */
    private int[] numbers = new int[1 << 10];

    private final List<String> ids = new ArrayList<>();
    private final Map<String, String> idPlaces = new HashMap<>();

    private LineTexts(
            @Nullable JsonFields json, @Nullable String field, boolean named, LineStore lines, BadRecords bad) {
        this.bad = bad;
        this.json = json;
        this.field = field;
        this.named = named;
        this.lines = lines;
    }

    /** How much of the lines may stay in memory, and where the others go. */
    public record Room(long mostBytes, Path folder) {
        /** All in memory. */
        public static Room inMemory() {
            return new Room(Long.MAX_VALUE, Spool.folder());
        }

        private LineStore store() {
            return new LineStore(mostBytes, folder);
        }
    }

    /** Returns the system's folder for temporary files. */
    public static Path folder() {
        return Spool.folder();
    }

    /** A line is a document. */
    public static LineTexts lines(Room room) {
        return new LineTexts(null, null, false, room.store(), BadRecords.refused(""));
    }

    /** Reads a document from a field of one JSON object per line, and its name from another field, if one is given. */
    public static LineTexts jsonl(String field, @Nullable String id, Room room, BadRecords bad) {
        return new LineTexts(new JsonFields(field, id == null ? "" : id), field, id != null, room.store(), bad);
    }

    /** Reads all lines of these inputs behind those that are there. */
    public void read(List<Input> inputs, Input.Meter meter) throws IOException {
        for (Input input : inputs) {
            int at = inputNames.size();
            inputNames.add(input.path());
            firsts = at == firsts.length ? Arrays.copyOf(firsts, 2 * at) : firsts;
            firsts[at] = lines.count();
            Input.Open open = input.open(meter);
            // What can be read again in its place stays open for that.
            FileChannel file = at < MAX_IN_PLACE ? open.file() : null;
            try {
                read(input, open, file);
            } finally {
                if (file == null) {
                    open.close();
                }
            }
        }
        lines.flush();
    }

    private void read(Input input, Input.Open open, @Nullable FileChannel file) throws IOException {
        int[] number = {0};
        NextPart part = new NextPart(input, open.file() != null);
        Lines.readPlaced(input.name(), open.stream(), (from, start, end, at) -> {
            int begin = number[0] == 0 ? Texts.behindMark(from, start, end) : start;
            number[0]++;
            // A mark at the start of a part would be dropped, where it is a part of the line.
            part.line(Texts.behindMark(from, start, end) == start ? at : 0);
            int before = lines.count();
            take(input, number[0], Arrays.copyOfRange(from, begin, end), file, at + begin - start);
            part.took(lines.count() > before);
        });
        part.end(part.isPlain ? input.bytes() : TextPart.OfLines.WHOLE);
    }

    /** The part of an input that is being read. */
    private final class NextPart {
        private final String path;
        private final boolean isPlain;
        private final List<Integer> others = new ArrayList<>();
        private long from;
        private int first = lines.count();
        private int line;

        NextPart(Input input, boolean isPlain) {
            this.path = Path.of(input.path()).toAbsolutePath().toString();
            this.isPlain = isPlain;
        }

        /** A line begins here; a new part begins with it, if this one is long enough. */
        void line(long at) {
            if (isPlain && at - from >= PART_BYTES) {
                end(at);
                from = at;
                first = lines.count();
                line = 0;
                others.clear();
            }
        }

        void took(boolean isDocument) {
            if (!isDocument) {
                others.add(line);
            }
            line++;
        }

        void end(long to) {
            int[] skipped = others.stream().mapToInt(Integer::intValue).toArray();
            parts.add(new TextPart.OfLines(path, from, to, first, lines.count() - first, skipped, field));
        }
    }

    @Override
    public List<TextPart> parts() {
        return List.copyOf(parts);
    }

    private void take(Input input, int number, byte[] line, @Nullable FileChannel file, long at) throws IOException {
        int document = lines.count();
        if (json != null) {
            if (JsonlForm.isBlank(line, 0, line.length)) {
                return;
            }
            String place = input.name() + " line " + number;
            @Nullable String[] values = new @Nullable String[ID + 1];
            String problem = json.parse(line, 0, line.length, values);
            for (int field = TEXT; field <= (named ? ID : TEXT) && problem == null; field++) {
                problem = values[field] != null ? null : "it has no field '" + json.name(field) + "', or it is null";
            }
            String id = values[ID];
            if (problem == null && named && id != null) {
                Texts.checkedName(id, place + ": the id");
                String before = idPlaces.putIfAbsent(id, place);
                problem = before == null ? null : "the id '" + id + "' came before, on " + before;
            }
            if (problem != null) {
                bad.take(place + ": " + problem);
                return;
            }
            if (named && id != null) {
                ids.add(id);
            }
        }
        if (!named) {
            numbers = document == numbers.length ? Arrays.copyOf(numbers, 2 * document) : numbers;
            numbers[document] = number;
        }
        lines.add(line, file, at);
    }

    @Override
    public int count() {
        return lines.count();
    }

    @Override
    public byte[] utf8(int document) throws IOException {
        byte[] line = lines.get(document);
        if (json == null) {
            return line;
        }
        @Nullable String[] values = new @Nullable String[ID + 1];
        json.parse(line, 0, line.length, values);
        String text = values[TEXT];
        assert text != null : "it was there when the line was read";
        return String.valueOf(text).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public int compare(int a, int b) {
        return named ? ids.get(a).compareTo(ids.get(b)) : Integer.compare(a, b);
    }

    @Override
    public String name(int document) {
        if (named) {
            return ids.get(document);
        }
        int input = Arrays.binarySearch(firsts, 0, inputNames.size(), document);
        if (input < 0) {
            input = -input - 2;
        }
        // Of inputs without lines, which begin where the next does, the last is the one.
        while (input + 1 < inputNames.size() && firsts[input + 1] <= document) {
            input++;
        }
        return inputNames.get(input) + ":" + numbers[document];
    }

    @Override
    public long bytes() {
        return lines.bytes();
    }

    @Override
    public void writeTo(int document, OutputStream out) throws IOException {
        out.write(lines.get(document));
        out.write('\n');
    }
}
