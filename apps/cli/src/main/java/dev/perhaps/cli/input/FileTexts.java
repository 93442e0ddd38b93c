package dev.perhaps.cli.input;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Files as documents, named by their paths and in the order of those, however they were named: one by one or by folders. Read
 * from disk each time, .gz and .zst decompressed; what is a link inside a folder, or no regular file, is left out.
 */
public final class FileTexts implements Texts {
    private static final int MAX_BYTES = Integer.MAX_VALUE - 16;
    private static final int PARTS = 256;
    private static final int MAX_FILES_OF_A_PART = 64;

    private final Path[] paths;
    private final Set<Path> compressed;
    private final long bytes;

    private FileTexts(Path[] paths, Set<Path> compressed, long bytes) {
        this.paths = paths;
        this.compressed = compressed;
        this.bytes = bytes;
    }

    /**
     * All files that are named, or lie in folders that are, without {@code others}. A file that is named twice counts once;
     * what is not text is a bad record.
     */
    public static FileTexts of(List<String> names, Collection<Path> others, BadRecords bad) throws IOException {
        if (names.isEmpty() || names.contains(Input.STANDARD)) {
            throw new BadInput("name files or folders: --format files does not read standard input");
        }
        Set<Path> left = new HashSet<>();
        for (Path other : others) {
            left.add(Files.exists(other) ? other.toRealPath() : other.toAbsolutePath());
        }
        // By what the disk calls them: one file under two names must not be its own duplicate.
        Map<Path, Path> found = new HashMap<>();
        long[] sum = {0};
        for (String name : names) {
            Input.requireName(name);
            Path root = Path.of(name);
            if (!Files.exists(root)) {
                throw new BadInput(name + ": there is no such file or folder");
            }
            Path real = root.toRealPath();
            Files.walkFileTree(real, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (attributes.isRegularFile() && !left.contains(file)) {
                        Path path = file.equals(real) ? root : root.resolve(real.relativize(file));
                        checkSize(path, attributes.size());
                        Path before = found.merge(file, path, (a, b) -> a.compareTo(b) <= 0 ? a : b);
                        checkReadable(Texts.checkedName(before.toString(), "the path"));
                        sum[0] += attributes.size();
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        }
        Path[] paths = found.values().toArray(Path[]::new);
        Arrays.sort(paths, Comparator.naturalOrder());
        List<Path> texts = new ArrayList<>(paths.length);
        Set<Path> compressed = new HashSet<>();
        for (Path path : paths) {
            try {
                if (isCompressed(path)) {
                    compressed.add(path);
                }
                texts.add(path);
            } catch (BadInput e) {
                bad.take(String.valueOf(e.getMessage()));
            }
        }
        return new FileTexts(texts.toArray(Path[]::new), compressed, sum[0]);
    }

    /** Looks at the first bytes only: there may be many files, and all are read again. What is not text is refused. */
    private static boolean isCompressed(Path path) throws IOException {
        byte[] head = head(path);
        if (Input.isCompressed(head)) {
            open(path).close();
            return true;
        }
        NotText.refuse(path.toString(), path.toString(), head, head.length);
        return false;
    }

    private static byte[] head(Path path) throws IOException {
        try (InputStream in = new FileInputStream(path.toFile())) {
            return in.readNBytes(NotText.HEAD_BYTES);
        } catch (FileNotFoundException e) {
            // Says what is wrong with it.
            open(path).close();
            throw e;
        }
    }

    private static Input.Open open(Path path) throws IOException {
        return Input.all(List.of(path.toString())).get(0).open(Input.Meter.NONE);
    }

    /** Names are bytes on disk; those that are no text in the user's locale could not be printed as they are. */
    private static void checkReadable(String name) {
        if (name.indexOf('\uFFFD') >= 0) {
            throw new BadInput(
                    "the path '" + name + "' cannot be decoded in this locale: set LC_ALL=C.UTF-8, or rename it");
        }
    }

    private static void checkSize(Path path, long size) {
        if (size > MAX_BYTES) {
            throw new BadInput(path + " has " + size + " bytes: a document may have " + MAX_BYTES + " at most");
        }
    }

    @Override
    public int count() {
        return paths.length;
    }

    @Override
    public byte[] utf8(int document) throws IOException {
        byte[] text = read(paths[document]);
        int from = Texts.behindMark(text, 0, text.length);
        return from == 0 ? text : Arrays.copyOfRange(text, from, text.length);
    }

    private byte[] read(Path path) throws IOException {
        if (!compressed.contains(path)) {
            return Files.readAllBytes(path);
        }
        try (Input.Open open = open(path)) {
            return open.stream().readAllBytes();
        }
    }

    @Override
    public String name(int document) {
        return paths[document].toString();
    }

    @Override
    public List<TextPart> parts() {
        int size = Math.max(1, Math.min(MAX_FILES_OF_A_PART, (paths.length + PARTS - 1) / PARTS));
        List<TextPart> parts = new ArrayList<>();
        for (int first = 0; first < paths.length; first += size) {
            parts.add(new TextPart.OfFiles(
                    Arrays.stream(paths, first, Math.min(paths.length, first + size))
                            .map(path -> path.toAbsolutePath().toString())
                            .toList(),
                    first));
        }
        return parts;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public void writeTo(int document, OutputStream out) throws IOException {
        out.write((name(document) + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
