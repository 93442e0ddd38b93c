package dev.perhaps.cli.options;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Input;
import dev.perhaps.io.WholeFile;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Where a command writes: a file, a device, a pipe, or {@code -} for standard output. Every option that names an output has
 * this type, and {@link FileConflicts} finds the outputs of a command by it.
 */
public final class Output {
    private static final String STANDARD_PATH = "/dev/stdout";
    private static final Set<String> STANDARD_PATHS = Set.of(STANDARD_PATH, "/dev/fd/1", "/proc/self/fd/1");

    /** What Java makes of bytes of an argument that it cannot decode. */
    private static final char UNDECODED = '\uFFFD';

    private final Path path;

    private Output(Path path) {
        this.path = path;
    }

    /** As it is typed on the command line. */
    public static Output of(String text) {
        if (text.indexOf(UNDECODED) >= 0) {
            throw new BadInput("the name of the output, '" + text
                    + "', has bytes that are not UTF-8, and another file would be written: name another one");
        }
        return new Output(Path.of(text.equals(Input.STANDARD) ? STANDARD_PATH : text));
    }

    /** A file that is replaced by its own changed content. */
    public static Output inPlace(Path file) {
        return new Output(file);
    }

    public Path path() {
        return path;
    }

    public boolean isStandard() {
        return STANDARD_PATHS.contains(path.toString());
    }

    /** Refuses now what could not be written at the end. */
    public void check() throws IOException {
        WholeFile.check(path);
    }

    public void write(WholeFile.Contents contents) throws IOException {
        writing(() -> WholeFile.write(path, contents));
    }

    public void save(Sketch sketch) throws IOException {
        writing(() -> sketch.save(path));
    }

    /** Writes files that belong together: either all or none of them. */
    public static void writeAll(Map<Output, WholeFile.Contents> contents) throws IOException {
        Map<Path, WholeFile.Contents> files = new LinkedHashMap<>();
        contents.forEach((output, content) -> files.put(output.path, content));
        writing(() -> WholeFile.writeAll(files));
    }

    @FunctionalInterface
    private interface Writing {
        void run() throws IOException;
    }

    /**
     * Says of a pipe whose reader has left that it is {@link Console.ReaderGone}. A connection to a peer that breaks has the same
     * message, and is an error.
     */
    private static void writing(Writing writing) throws IOException {
        try {
            writing.run();
        } catch (IOException e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                boolean isConnection = cause instanceof SocketException;
                if (cause instanceof IOException && !isConnection && "Broken pipe".equals(cause.getMessage())) {
                    throw new Console.ReaderGone();
                }
            }
            throw e;
        }
    }

    /** Prints a report: to standard output, or to standard error if the file itself goes to standard output. */
    public void report(String line) throws IOException {
        if (isStandard()) {
            Console.say(line);
        } else {
            Console.println(line);
        }
    }

    /** The name for messages. */
    @Override
    public String toString() {
        return isStandard() ? "standard output" : path.toString();
    }
}
