import dev.perhaps.similarity.duplicates.Clusters;
import dev.perhaps.similarity.Documents;
import dev.perhaps.similarity.duplicates.NearDuplicates;
import dev.perhaps.similarity.Shingles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
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

/** What bin/check-dedup and bin/check-spark cannot do in a shell: writes documents, and compares what was found with the truth. */
final class DedupCheck {
    private static final double THRESHOLD = 0.8;
    private static final int DOCUMENT_BYTES = 2_000;
    private static final int SAMPLE = 1_000;
    private static final String[] WORDS = words();

    public static void main(String[] args) throws IOException {
        boolean good = switch (args[0]) {
            case "truth" -> truth(Path.of(args[1]), Path.of(args[2]), Path.of(args[3]));
            case "planted" -> planted(Path.of(args[1]));
            case "generate" -> write(args[2], Integer.parseInt(args[1]), DedupCheck::generated);
            case "same" -> write(args[2], Integer.parseInt(args[1]), i -> text(0, DOCUMENT_BYTES));
            case "header" -> write(args[2], Integer.parseInt(args[1]), i -> text(0, 600) + text(i + 1, 200));
            case "members" -> write(
                    args[4], Integer.parseInt(args[2]), i -> member(args[1], i, Double.parseDouble(args[3])));
            case "roll" -> roll(Path.of(args[1]));
            case "group" -> group(args[1], Integer.parseInt(args[2]), Double.parseDouble(args[3]));
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

    /**
     * One member of a group: a variant of one text of 800 characters with up to twice as many letters changed as leave two of
     * them at the threshold; a form of eight pieces with free fields; a header of 600 of which every fourth body is half another's;
     * or a link of a chain that is at the threshold with the next.
     */
    private static String member(String kind, int i, double threshold) {
        SplittableRandom random = new SplittableRandom(i + 1L);
        switch (kind) {
            case "variants" -> {
                StringBuilder text = new StringBuilder(text(0, 800));
                int changes = random.nextInt(1 + (int) Math.round(120 * (1 - threshold) / (1 + threshold)));
                for (int k = 0; k < changes; k++) {
                    text.setCharAt(random.nextInt(800), (char) ('A' + random.nextInt(26)));
                }
                return text.toString();
            }
            case "template" -> {
                StringBuilder text = new StringBuilder();
                int piece = (int) (24 / (1 - threshold));
                for (int field = 0; field < 8; field++) {
                    text.append(text(field, piece));
                    text.append(field % 2 == 0 ? text(100 * field + random.nextInt(10), 8) : text(random.nextLong(), random.nextInt(20)));
                }
                return text.toString();
            }
            case "header" -> {
                return i % 4 < 3 ? text(0, 600) + text(i + 1, 200)
                        : text(0, 600) + text(i, 200).substring(0, 110 + random.nextInt(60)) + text(-i, 30 + random.nextInt(60));
            }
            case "chain" -> {
                // A window over a sequence of pieces: the next link has lost the first piece and has one more.
                int pieces = (int) Math.ceil((1 + threshold) / (1 - threshold)) + 1;
                StringBuilder text = new StringBuilder();
                for (int piece = i; piece < i + pieces; piece++) {
                    text.append(text(piece + 7L, 100));
                }
                return text.toString();
            }
            default -> throw new IllegalArgumentException(kind);
        }
    }

    /**
     * A group of the given size, and one twice as large: of the documents with a near duplicate at most 1 % are kept beside another of their
     * component, at most 0.1 % of the pairs end apart, by 1,000 sampled documents against all; twice as many take at most 2.3 times
     * the processor time. Of a chain at most 1 % of the links break.
     */
    private static boolean group(String kind, int count, double threshold) throws IOException {
        double before = 0;
        boolean good = true;
        for (int members : new int[] {count / 2, count}) {
            List<String> texts = IntStream.range(0, members).mapToObj(i -> member(kind, i, threshold)).toList();
            long start = processorNanos();
            Clusters clusters = NearDuplicates.atLeast(threshold).run(Documents.of(texts));
            double seconds = (processorNanos() - start) / 1e9;
            boolean isHalf = before == 0;
            double ratio = isHalf ? Double.NaN : seconds / before;
            String compared = isHalf ? "" : String.format(", %.2f times half", ratio);
            before = seconds;
            if (kind.equals("chain")) {
                System.out.printf("chain at %.1f: %,d links, %,d broken; said to be missed: %.1f; %.1f s of processor%s%n",
                        threshold, members - 1, clusters.keptCount() - 1, clusters.missed(), seconds, compared);
                good &= clusters.keptCount() - 1 <= 0.01 * members && !(ratio > 2.3);
                continue;
            }
            long[][] sets = texts.stream().map(text -> set(text.getBytes(StandardCharsets.US_ASCII))).toArray(long[][]::new);
            int[] sizes = new int[members];
            IntStream.range(0, members).forEach(i -> sizes[clusters.clusterOf(i)]++);
            long[] sums = IntStream.of(sampled(members)).parallel().mapToObj(a -> {
                long[] of = new long[4];
                int own = clusters.clusterOf(a);
                int largest = own;
                for (int b = 0; b < members; b++) {
                    if (a != b && jaccard(sets[a], sets[b], threshold) >= threshold) {
                        of[0] = 1;
                        of[3] += clusters.clusterOf(b) == own ? 0 : 1;
                        largest = sizes[clusters.clusterOf(b)] > sizes[largest] ? clusters.clusterOf(b) : largest;
                    }
                }
                // A sampled document stands for its component: the part that is not in the largest cluster is apart from it.
                of[1] = largest != own && own == a ? 1 : 0;
                of[2] = largest != own ? 1 : 0;
                return of;
            }).reduce(new long[4], (x, y) -> IntStream.range(0, 4).mapToLong(i -> x[i] + y[i]).toArray());
            System.out.printf("%s at %.1f: %,d members, %,d clusters; of %,d sampled with a near duplicate %,d wrongly kept (goal: 1 %%), "
                            + "%,d apart from the rest (%,d pairs); said to be missed: %.1f; %.1f s of processor%s%n",
                    kind, threshold, members, clusters.keptCount(), sums[0], sums[1], sums[2], sums[3], clusters.missed(), seconds, compared);
            good &= sums[1] <= 0.01 * sums[0] && sums[2] <= Math.max(1, 0.001 * sums[0]) && !(ratio > 2.3);
        }
        return good;
    }

    /** The numbers of 1,000 members; or of all, if there are no more. */
    private static int[] sampled(int members) {
        return members <= SAMPLE
                ? IntStream.range(0, members).toArray()
                : new SplittableRandom(1).ints(0, members).distinct().limit(SAMPLE).toArray();
    }

    private static long processorNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
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
                if (jaccard(sets.get(a), sets.get(b), THRESHOLD) >= THRESHOLD) {
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
            double exact = jaccard(sets.get(contentOf.get(columns[0])), sets.get(contentOf.get(columns[1])), THRESHOLD);
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

    private static double jaccard(long[] a, long[] b, double threshold) {
        if (Math.min(a.length, b.length) < threshold * Math.max(a.length, b.length)) {
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
