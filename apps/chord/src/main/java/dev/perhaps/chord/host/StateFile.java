package dev.perhaps.chord.host;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.io.WholeFile;
import dev.perhaps.web.PrivateFiles;
import dev.perhaps.web.SafeText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.Consumer;

/**
 * A small file of lines that a peer keeps over restarts. It is replaced atomically. If it is damaged, only the lines
 * that cannot be read are lost, and the peer starts anyway: the damaged file is kept as {@code NAME.damaged}, and the
 * log says so in one line.
 */
public final class StateFile {
    private static final long MAX_BYTES = 64L << 20;

    private final Path file;
    private final Consumer<String> log;

    /** A file that may not exist yet; lines that cannot be read are reported to the log. */
    public StateFile(Path file, Consumer<String> log) {
        this.file = file;
        this.log = log;
    }

    /** Takes a line; one that it cannot read is an {@link IllegalArgumentException} or {@link IndexOutOfBoundsException}. */
    @FunctionalInterface
    public interface Reader {
        /** Takes one line; an {@link IllegalArgumentException} says that it cannot be read. */
        void take(String line);
    }

    /** Returns true if the file exists. */
    public boolean exists() {
        return Files.exists(file);
    }

    /** Reads all lines, if there is such a file. Returns how many could not be read. */
    @CanIgnoreReturnValue
    public int read(Reader reader) throws IOException {
        if (!exists()) {
            return 0;
        }
        int damaged = 0;
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new IOException("it has more than " + MAX_BYTES + " bytes");
            }
            String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
            String[] lines = text.split("\n", -1);
            for (int i = 0; i < lines.length - 1; i++) {
                damaged += isRead(lines[i], reader) ? 0 : 1;
            }
            damaged += lines[lines.length - 1].isEmpty() ? 0 : 1; // its end is missing
        } catch (AccessDeniedException e) {
            throw e;
        } catch (IOException e) {
            setAside("it cannot be read: " + e.getMessage());
            return 1;
        }
        if (damaged > 0) {
            setAside(damaged + (damaged == 1 ? " line is" : " lines are") + " damaged and ignored");
        }
        return damaged;
    }

    private static boolean isRead(String line, Reader reader) {
        try {
            reader.take(line);
            return true;
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            return false;
        }
    }

    /** What it holds is lost; the file as it was is kept beside. */
    void setAside(String why) throws IOException {
        Path aside = file.resolveSibling(file.getFileName() + ".damaged");
        Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
        log.accept(SafeText.of(file + ": " + why + "; it is kept as " + aside.getFileName()));
    }

    /** Replaces the whole content; the file is complete at every moment. */
    public void write(List<String> lines) throws IOException {
        for (String line : lines) {
            if (!line.equals(SafeText.of(line))) {
                throw new IllegalArgumentException("a line has no control characters, got " + SafeText.of(line));
            }
        }
        byte[] bytes = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
        PrivateFiles.own(file);
        WholeFile.write(file, out -> out.write(bytes));
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
