import dev.perhaps.similarity.Shingles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What bin/check-dedup cannot do in a shell: writes documents, and compares what was found with the truth. */
final class DedupCheck {
    private static final double THRESHOLD = 0.8;
    private static final int DOCUMENT_BYTES = 2_000;
    private static final String[] WORDS = words();

    public static void main(String[] args) throws IOException {
        boolean good = switch (args[0]) {
            case "truth" -> truth(Path.of(args[1]), Path.of(args[2]), Path.of(args[3]));
            case "planted" -> planted(Path.of(args[1]));
            case "generate" -> write(args[2], Integer.parseInt(args[1]), DedupCheck::generated);
            case "same" -> write(args[2], Integer.parseInt(args[1]), i -> text(0, DOCUMENT_BYTES));
            case "header" -> write(args[2], Integer.parseInt(args[1]), i -> text(0, 600) + text(i + 1, 200));
            case "roll" -> roll(Path.of(args[1]));
            default -> throw new IllegalArgumentException(args[0]);
        };
        System.exit(good ? 0 : 1);
    }

    private static String[] words() {
        SplittableRandom random = new SplittableRandom(3);
        return IntStream.range(0, 4_096)
                .mapToObj(i -> random.ints(2 + random.nextInt(9), 'a', 'z' + 1)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString())
                .toArray(String[]::new);
    }

    private static String text(long seed, int length) {
        SplittableRandom random = new SplittableRandom(seed);
        StringBuilder text = new StringBuilder(length + 16);
        while (text.length() < length) {
            text.append(WORDS[random.nextInt(WORDS.length)]).append(' ');
        }
        text.setLength(length);
        return text.toString();
    }

    /** Of twenty documents the 9th and 10th are the first with 20 letters changed, and the 20th is the 19th. */
    private static String generated(int i) {
        int place = i % 20;
        if (place == 19) {
            return text(i - 1, DOCUMENT_BYTES);
        }
        if (place == 8 || place == 9) {
            StringBuilder text = new StringBuilder(text(i - place, DOCUMENT_BYTES));
            for (int k = 0; k < 20; k++) {
                text.setCharAt(place * 40 + k * 31, '#');
            }
            return text.toString();
        }
        return text(i, DOCUMENT_BYTES);
    }

    private interface Maker {
        String make(int i);
    }

    private static boolean write(String file, int count, Maker maker) throws IOException {
        Path part = Path.of(file + ".part");
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(part), 1 << 20)) {
            for (int i = 0; i < count; i++) {
                out.write((maker.make(i) + "\n").getBytes(StandardCharsets.US_ASCII));
            }
        }
        Files.move(part, Path.of(file), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        return true;
    }

    /** Milliseconds that one thread takes to roll the shingle hash over all lines; reading them is not counted. */
    private static boolean roll(Path file) throws IOException {
        Shingles shingles = Shingles.codePoints();
        long[] hashes = new long[1 << 12];
        long[] nanos = {0, 0};
        byte[][] batch = new byte[1_000][];
        int[] size = {0};
        Runnable rolled = () -> {
            long start = System.nanoTime();
            for (int i = 0; i < size[0]; i++) {
                nanos[1] += hashes[shingles.hashes(batch[i], 0, batch[i].length, hashes) - 1];
            }
            nanos[0] += System.nanoTime() - start;
            size[0] = 0;
        };
        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            lines.forEach(line -> {
                batch[size[0]++] = line.getBytes(StandardCharsets.ISO_8859_1);
                if (size[0] == batch.length) {
                    rolled.run();
                }
            });
        }
        rolled.run();
        System.out.println(nanos[0] / 1_000_000);
        return nanos[1] != 0;
    }

    /** Planted ones found, and nothing else removed. Documents are named FILE:LINE. */
    private static boolean planted(Path clusters) throws IOException {
        long[] counts = new long[4];
        try (Stream<String> lines = Files.lines(clusters)) {
            lines.forEach(line -> {
                String[] columns = line.split("\t", -1);
                int document = Integer.parseInt(columns[1].substring(columns[1].lastIndexOf(':') + 1)) - 1;
                int place = document % 20;
                boolean isNear = place == 8 || place == 9;
                boolean isMatched = !columns[3].isEmpty();
                counts[0] += isNear ? 1 : 0;
                counts[1] += isNear && isMatched ? 1 : 0;
                counts[2] += isMatched && !isNear && place != 0 && place < 18 ? 1 : 0;
                counts[3] += columns[2].equals("removed") ? 1 : 0;
            });
        }
        System.out.printf("planted near duplicates: %,d of %,d found; %,d others matched; %,d removed%n",
                counts[1], counts[0], counts[2], counts[3]);
        return counts[1] >= 0.99 * counts[0] && counts[2] == 0;
    }

    /** All pairs of different contents, one by one. */
    private static boolean truth(Path root, Path clusters, Path pairs) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(root)) {
            files = walk.filter(Files::isRegularFile).sorted().toList();
        }
        Map<String, Integer> contentOf = new HashMap<>();
        Map<String, Integer> contents = new HashMap<>();
        List<long[]> sets = new ArrayList<>();
        List<Integer> copies = new ArrayList<>();
        for (Path file : files) {
            String text = Files.readString(file, StandardCharsets.ISO_8859_1);
            int content = contents.computeIfAbsent(text, fresh -> {
                sets.add(set(text.getBytes(StandardCharsets.ISO_8859_1)));
                copies.add(0);
                return sets.size() - 1;
            });
            contentOf.put(file.toString(), content);
            copies.set(content, copies.get(content) + 1);
        }
        Map<String, String> clusterOf = new HashMap<>();
        String[] clusterOfContent = new String[sets.size()];
        for (String line : Files.readAllLines(clusters)) {
            String[] columns = line.split("\t", -1);
            clusterOf.put(columns[1], columns[0]);
            clusterOfContent[contentOf.get(columns[1])] = columns[0];
        }
        long[] counts = IntStream.range(0, sets.size()).parallel().mapToObj(a -> {
            long same = copies.get(a) * (copies.get(a) - 1L) / 2;
            long[] found = {same, same};
            for (int b = a + 1; b < sets.size(); b++) {
                if (jaccard(sets.get(a), sets.get(b)) >= THRESHOLD) {
                    long both = (long) copies.get(a) * copies.get(b);
                    found[0] += both;
                    found[1] += clusterOfContent[a].equals(clusterOfContent[b]) ? both : 0;
                }
            }
            return found;
        }).reduce(new long[2], (x, y) -> new long[] {x[0] + y[0], x[1] + y[1]});
        long named = 0;
        long wrong = 0;
        for (String line : Files.readAllLines(pairs)) {
            String[] columns = line.split("\t", -1);
            double exact = jaccard(sets.get(contentOf.get(columns[0])), sets.get(contentOf.get(columns[1])));
            named++;
            wrong += exact >= THRESHOLD && exact == Double.parseDouble(columns[2]) ? 0 : 1;
        }
        System.out.printf("%,d files, %,d different; true pairs: %,d, in one cluster: %,d; pairs named: %,d, wrong: %,d%n",
                files.size(), sets.size(), counts[0], counts[1], named, wrong);
        return counts[1] >= 0.995 * counts[0] && wrong == 0;
    }

    private static long[] set(byte[] utf8) {
        long[] hashes = new long[Math.max(1, utf8.length)];
        return Arrays.stream(hashes, 0, Shingles.codePoints().hashes(utf8, 0, utf8.length, hashes))
                .sorted()
                .distinct()
                .toArray();
    }

    private static double jaccard(long[] a, long[] b) {
        if (Math.min(a.length, b.length) < THRESHOLD * Math.max(a.length, b.length)) {
            return 0;
        }
        int shared = 0;
        for (int i = 0, j = 0; i < a.length && j < b.length; ) {
            shared += a[i] == b[j] ? 1 : 0;
            boolean isFirst = a[i] <= b[j];
            j += a[i] >= b[j] ? 1 : 0;
            i += isFirst ? 1 : 0;
        }
        return (double) shared / (a.length + b.length - shared);
    }
}
