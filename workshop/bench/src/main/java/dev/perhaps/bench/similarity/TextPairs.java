package dev.perhaps.bench.similarity;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Texts like prose, the same in every run: words of 2 to 10 letters, few of which come often. In pairs of which one is
 * the other with some words changed, with their exact similarities.
 */
public final class TextPairs {
    /** Pairs whose estimates are compared with the truth. */
    public static final int COUNT = 200;

    static final int SHINGLE = 10;

    private static final int WORDS = 20_000;
    private static final double EXPONENT = 1.0;
    private static final int PAIR_CHARS = 2_000;

    /** Two texts, the Jaccard similarity of their shingles, and 1 − φ/π of the angle between their counts. */
    static final class Pair {
        final byte[] a;
        final byte[] b;
        final double jaccard;
        final double angle;

        Pair(byte[] a, byte[] b, double jaccard, double angle) {
            this.a = a;
            this.b = b;
            this.jaccard = jaccard;
            this.angle = angle;
        }
    }

    private final String[] words = new String[WORDS];
    private final double[] upTo = new double[WORDS];
    private final SplittableRandom random;

    TextPairs(long seed) {
        random = new SplittableRandom(seed);
        double sum = 0;
        for (int rank = 0; rank < WORDS; rank++) {
            StringBuilder word = new StringBuilder();
            for (int letters = 2 + random.nextInt(9); letters > 0; letters--) {
                word.append((char) ('a' + random.nextInt(26)));
            }
            words[rank] = word.toString();
            sum += Math.pow(rank + 1, -EXPONENT);
            upTo[rank] = sum;
        }
    }

    private String word() {
        int found = Arrays.binarySearch(upTo, random.nextDouble() * upTo[WORDS - 1]);
        return words[Math.min(WORDS - 1, found < 0 ? -found - 1 : found)];
    }

    /** Texts of this number of bytes each, and the number of bytes in all. */
    byte[][] texts(int bytes, int inAll) {
        byte[][] texts = new byte[Math.max(1, inAll / bytes)][];
        Arrays.setAll(texts, i -> text(bytes).getBytes(StandardCharsets.US_ASCII));
        return texts;
    }

    private String text(int chars) {
        StringBuilder text = new StringBuilder(chars + 16);
        while (text.length() < chars) {
            text.append(word()).append(' ');
        }
        text.setLength(chars);
        return text.toString();
    }

    /** Pairs from nearly nothing changed to one word in five. */
    Pair[] pairs() {
        Pair[] pairs = new Pair[COUNT];
        Arrays.setAll(pairs, i -> {
            String[] one = text(PAIR_CHARS).split(" ");
            String[] other = one.clone();
            double changed = 0.2 * (i + 1) / COUNT;
            for (int w = 0; w < other.length; w++) {
                other[w] = random.nextDouble() < changed ? word() : other[w];
            }
            return pair(String.join(" ", one), String.join(" ", other));
        });
        return pairs;
    }

    private static Pair pair(String a, String b) {
        Map<String, Integer> left = shingles(a);
        Map<String, Integer> right = shingles(b);
        long product = 0;
        int shared = 0;
        for (Map.Entry<String, Integer> entry : left.entrySet()) {
            int times = right.getOrDefault(entry.getKey(), 0);
            product += (long) entry.getValue() * times;
            shared += times > 0 ? 1 : 0;
        }
        double cosine = product / Math.sqrt((double) squares(left) * squares(right));
        return new Pair(
                a.getBytes(StandardCharsets.US_ASCII),
                b.getBytes(StandardCharsets.US_ASCII),
                (double) shared / (left.size() + right.size() - shared),
                1 - Math.acos(Math.min(1, cosine)) / Math.PI);
    }

    private static Map<String, Integer> shingles(String text) {
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i + SHINGLE <= text.length(); i++) {
            counts.merge(text.substring(i, i + SHINGLE), 1, Integer::sum);
        }
        return counts;
    }

    private static long squares(Map<String, Integer> counts) {
        return counts.values().stream().mapToLong(count -> (long) count * count).sum();
    }
}
