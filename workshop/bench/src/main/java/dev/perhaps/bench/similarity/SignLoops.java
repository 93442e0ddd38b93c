package dev.perhaps.bench.similarity;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import com.dynatrace.hash4j.similarity.ElementHashProvider;
import com.dynatrace.hash4j.similarity.SimilarityHashPolicy;
import com.dynatrace.hash4j.similarity.SimilarityHasher;
import dev.perhaps.bench.similarity.SignRow.Signer;
import dev.perhaps.hash.Mix;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.Signature;
import dev.perhaps.similarity.SimHash;
import dev.perhaps.similarity.TextSigner;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** The loops over texts, ours and the peers'. */
final class SignLoops {
    private static final int N = TextPairs.SHINGLE;

    private SignLoops() {}

    /** Ours, in one pass. */
    static final class Ours implements Signer {
        private final TextSigner signer;
        private final long[] signature;

        Ours(int components, long seed) {
            Shingles shingles = Shingles.codePoints(N).seeded(seed);
            this.signer = shingles.signer(MinHash.of(components).of(shingles.key()));
            this.signature = new long[components];
        }

        @Override
        public long sign(byte[][] texts, int from, int to) {
            long sum = 0;
            for (int i = from; i < to; i++) {
                signer.sign(texts[i], 0, texts[i].length, signature);
                sum += signature[0];
            }
            return sum;
        }

        @Override
        public double similarity(byte[] a, byte[] b) {
            return signer.family().jaccard(signer.sign(a, 0, a.length), signer.sign(b, 0, b.length));
        }
    }

    /** Ours, all hashes first. */
    static final class OursByHashes implements Signer {
        private final Shingles shingles;
        private final MinHash<CharSequence> family;
        private final long[] signature;
        private long[] hashes = new long[0];

        OursByHashes(int components, long seed) {
            this.shingles = Shingles.codePoints(N).seeded(seed);
            this.family = MinHash.of(components).of(shingles.key());
            this.signature = new long[components];
        }

        @Override
        public long sign(byte[][] texts, int from, int to) {
            long sum = 0;
            for (int i = from; i < to; i++) {
                hashes = room(hashes, texts[i].length);
                family.sign(hashes, 0, shingles.hashes(texts[i], 0, texts[i].length, hashes), signature);
                sum += signature[0];
            }
            return sum;
        }

        @Override
        public double similarity(byte[] a, byte[] b) {
            return family.jaccard(signature(a), signature(b));
        }

        private Signature signature(byte[] text) {
            hashes = room(hashes, text.length);
            return family.sign(hashes, 0, shingles.hashes(text, 0, text.length, hashes));
        }
    }

    static final class OurSimHash implements Signer {
        private final Shingles shingles;
        private final SimHash<CharSequence> family;
        private long[] hashes = new long[0];

        OurSimHash(int components, long seed) {
            this.shingles = Shingles.codePoints(N).seeded(seed);
            this.family = SimHash.of(components).of(shingles.key());
        }

        @Override
        public long sign(byte[][] texts, int from, int to) {
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += signature(texts[i]).component(0);
            }
            return sum;
        }

        @Override
        public double similarity(byte[] a, byte[] b) {
            return family.similarity(signature(a), signature(b));
        }

        private Signature signature(byte[] text) {
            hashes = room(hashes, text.length);
            return family.sign(hashes, 0, shingles.hashes(text, 0, text.length, hashes));
        }
    }

    /** Any of hash4j's. */
    static final class Hash4j implements Signer {
        /** Writes the hashes of all shingles of a text and returns their number. */
        @FunctionalInterface
        private interface Hashes {
            int of(byte[] text, long[] into);
        }

        private final SimilarityHashPolicy policy;
        private final SimilarityHasher hasher;
        private final Hashes shingles;
        private final Provider provider = new Provider();

        private Hash4j(SimilarityHashPolicy policy, Hashes shingles) {
            this.policy = policy;
            this.hasher = policy.createHasher();
            this.shingles = shingles;
        }

        /** Given the hashes of our rolling hash: the fastest that it can be fed. */
        static Hash4j fed(SimilarityHashPolicy policy, long seed) {
            Shingles ours = Shingles.codePoints(N).seeded(seed);
            return new Hash4j(policy, (text, into) -> ours.hashes(text, 0, text.length, into));
        }

        /** With hash4j's own hash of every shingle. */
        static Hash4j alone(SimilarityHashPolicy policy, long seed) {
            Hasher64 theirs = Hashing.komihash5_0(seed);
            return new Hash4j(policy, (text, into) -> {
                int count = text.length - N + 1;
                for (int i = 0; i < count; i++) {
                    into[i] = theirs.hashBytesToLong(text, i, N);
                }
                return count;
            });
        }

        @Override
        public long sign(byte[][] texts, int from, int to) {
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += signature(texts[i])[0];
            }
            return sum;
        }

        @Override
        public double similarity(byte[] a, byte[] b) {
            return policy.getFractionOfEqualComponents(signature(a), signature(b));
        }

        private byte[] signature(byte[] text) {
            provider.hashes = room(provider.hashes, text.length);
            provider.count = shingles.of(text, provider.hashes);
            return hasher.compute(provider);
        }
    }

    private static final class Provider implements ElementHashProvider {
        private long[] hashes = new long[0];
        private int count;

        @Override
        public long getElementHash(int i) {
            return hashes[i];
        }

        @Override
        public int getNumberOfElements() {
            return count;
        }
    }

    /** A set of the shingles' hash codes, as its examples have it. */
    static final class JavaLsh implements Signer {
        private final info.debatty.java.lsh.MinHash family;

        JavaLsh(int components, long seed) {
            this.family = new info.debatty.java.lsh.MinHash(components, Integer.MAX_VALUE, seed);
        }

        @Override
        public long sign(byte[][] texts, int from, int to) {
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += signature(texts[i])[0];
            }
            return sum;
        }

        @Override
        public double similarity(byte[] a, byte[] b) {
            return family.similarity(signature(a), signature(b));
        }

        private int[] signature(byte[] utf8) {
            String text = new String(utf8, StandardCharsets.UTF_8);
            Set<Integer> set = new HashSet<>();
            for (int i = 0; i + N <= text.length(); i++) {
                set.add(text.substring(i, i + N).hashCode() & Integer.MAX_VALUE);
            }
            return family.signature(set);
        }
    }

    /** What people write: a set of substrings, and for each of them k linear permutations modulo a prime. */
    static final class Textbook implements Signer {
        private static final long PRIME = Integer.MAX_VALUE;

        private final long[] factors;
        private final long[] offsets;

        Textbook(int components, long seed) {
            this.factors = new long[components];
            this.offsets = new long[components];
            for (int i = 0; i < components; i++) {
                factors[i] = 1 + Mix.reduce(Mix.finish(2 * (seed * components + i)), PRIME - 1);
                offsets[i] = Mix.reduce(Mix.finish(2 * (seed * components + i) + 1), PRIME);
            }
        }

        @Override
        public long sign(byte[][] texts, int from, int to) {
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += signature(texts[i])[0];
            }
            return sum;
        }

        @Override
        public double similarity(byte[] a, byte[] b) {
            long[] left = signature(a);
            long[] right = signature(b);
            int equal = 0;
            for (int i = 0; i < left.length; i++) {
                equal += left[i] == right[i] ? 1 : 0;
            }
            return (double) equal / left.length;
        }

        private long[] signature(byte[] utf8) {
            String text = new String(utf8, StandardCharsets.UTF_8);
            Set<String> set = new HashSet<>();
            for (int i = 0; i + N <= text.length(); i++) {
                set.add(text.substring(i, i + N));
            }
            long[] least = new long[factors.length];
            Arrays.fill(least, Long.MAX_VALUE);
            for (String shingle : set) {
                long x = (shingle.hashCode() & Integer.MAX_VALUE) % PRIME;
                for (int i = 0; i < least.length; i++) {
                    least[i] = Math.min(least[i], (factors[i] * x + offsets[i]) % PRIME);
                }
            }
            return least;
        }
    }

    private static long[] room(long[] array, int places) {
        return array.length < places ? new long[places] : array;
    }
}
