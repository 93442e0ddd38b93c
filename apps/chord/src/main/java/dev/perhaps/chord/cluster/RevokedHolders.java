package dev.perhaps.chord.cluster;

import dev.perhaps.web.SafeText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Holders of granted secrets and of certificates that a peer refuses: the lines of a file, which is read again when it
 * changes. Safe for any number of threads.
 */
public final class RevokedHolders {
    private static final int MAX_BYTES = 1 << 20;

    private final @Nullable Path file;
    private final Consumer<String> log;

    // Guarded by this.
    private Set<String> names = Set.of();
    private List<Object> stamp = List.of();

    private RevokedHolders(@Nullable Path file, Consumer<String> log) {
        this.file = file;
        this.log = log;
    }

    /** Nobody. */
    public static RevokedHolders none() {
        return new RevokedHolders(null, line -> {});
    }

    /**
     * Those that a file names: on each line the name of {@code perhaps grant}, or the subject of a certificate. Empty lines
     * and those that begin with {@code #} are skipped.
     *
     * @param log gets a message when the file has changed and cannot be read; its last content then still counts
     */
    public static RevokedHolders read(Path file, Consumer<String> log) throws IOException {
        RevokedHolders revoked = new RevokedHolders(file, log);
        revoked.load(file);
        return revoked;
    }

    /** Returns true if the holder of this name is not let in. */
    public synchronized boolean contains(String name) {
        if (file != null) {
            reload(file);
        }
        return names.contains(name);
    }

    private void reload(Path from) {
        try {
            if (!stampOf(from).equals(stamp)) {
                load(from);
                log.accept(SafeText.of(from + " was read again: revoked are " + names.size()));
            }
        } catch (IOException e) {
            if (!stamp.isEmpty()) {
                log.accept(SafeText.of(from + " cannot be read: those that it named stay revoked"));
            }
            stamp = List.of();
        }
    }

    private synchronized void load(Path from) throws IOException {
        List<Object> before = stampOf(from);
        if (Files.size(from) > MAX_BYTES) {
            throw new IOException(from + ": a list of revoked holders has at most " + MAX_BYTES + " bytes");
        }
        names = text(from)
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .collect(Collectors.toUnmodifiableSet());
        stamp = before;
    }

    /**
     * Reads the file as text. Other files, such as UTF-16 or an archive, are refused: they would silently revoke
     * nothing.
     */
    private static String text(Path from) throws IOException {
        String text = StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(Files.readAllBytes(from)))
                .toString();
        if (text.chars().anyMatch(c -> Character.isISOControl(c) && !Character.isWhitespace(c))) {
            throw new IOException(from + ": a list of revoked holders is text in UTF-8");
        }
        return text;
    }

    /** Differs when the file has been written or replaced. */
    private static List<Object> stampOf(Path file) throws IOException {
        BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
        return List.of(now.lastModifiedTime(), now.size(), String.valueOf(now.fileKey()));
    }
}
