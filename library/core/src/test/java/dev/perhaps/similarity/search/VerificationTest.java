package dev.perhaps.similarity.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.key.Key;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.text.SetBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Exact similarities, whatever memory there is for the sets, and in whatever pieces the pairs are worked off. */
class VerificationTest {
    private static final double THRESHOLD = 0.5;

    /** Groups of 2 to 9 documents of 0 to 3,000 hashes, all pairs of each; and one group that is not split by its size alone. */
    @ParameterizedTest
    @CsvSource({"1000000000, 1", "1000000000, 2", "100000, 2", "20000, 1", "1000, 1"})
    void comparesExactlyWithAnyMemory(long cacheBytes, int threads) throws IOException {
        SplittableRandom random = new SplittableRandom(12);
        List<long[]> documents = new ArrayList<>();
        List<Long> pairs = new ArrayList<>();
        for (int group = 0; group < 40; group++) {
            int from = documents.size();
            long[] common = random.longs(random.nextInt(1, 3_000)).toArray();
            int members = group == 20 ? 70 : random.nextInt(2, 10);
            for (int member = 0; member < members; member++) {
                double share = random.nextDouble(0.6, 1);
                documents.add(LongStream.concat(
                                LongStream.of(common).filter(hash -> random.nextDouble() < share),
                                random.longs(random.nextInt(300)))
                        .toArray());
                for (int other = from; other < from + member; other++) {
                    pairs.add(PairIds.of(other, from + member));
                }
            }
        }
        ShingleSource source = ShingleSource.hashes(documents, MinHash.of(MinHash.FAST, 16, Key.longs()));
        DistinctTexts contents =
                DistinctTexts.read(source, 16, false, 1, ShortSignatures.Store.inMemory(documents.size()));
        assertThat(contents.count()).as("all documents are different").isEqualTo(documents.size());
        long[] ofContents = pairs.stream().mapToLong(contents::pair).sorted().toArray();

        double[] jaccards = new Verification(source, contents, THRESHOLD, cacheBytes).jaccards(ofContents, threads);

        SetBuilder sets = new SetBuilder();
        int above = 0;
        for (int i = 0; i < ofContents.length; i++) {
            long[] a = documents.get(contents.first(PairIds.first(ofContents[i])));
            long[] b = documents.get(contents.first(PairIds.second(ofContents[i])));
            long[] setOfA = sets.build(a, a.length);
            long[] setOfB = sets.build(b, b.length);
            int shared = SetBuilder.shared(setOfA, setOfB);
            double jaccard = (double) shared / (setOfA.length + setOfB.length - shared);
            above += jaccard >= THRESHOLD ? 1 : 0;
            assertThat(jaccards[i]).as("pair %d", i).isEqualTo(jaccard >= THRESHOLD ? jaccard : -1);
        }
        assertThat(above).isBetween(ofContents.length / 10, ofContents.length * 9 / 10);
    }

    /** 400 sets, of which 128 fit into memory, and all of their pairs: a set is built a few times, not for each pair. */
    @Test
    void buildsTheSetsOfALargeComponentSeldom() throws IOException {
        SplittableRandom random = new SplittableRandom(13);
        long[] common = random.longs(900).toArray();
        List<long[]> documents = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            documents.add(
                    LongStream.concat(LongStream.of(common), random.longs(100)).toArray());
        }
        ShingleSource source = ShingleSource.hashes(documents, MinHash.of(MinHash.FAST, 16, Key.longs()));
        DistinctTexts contents =
                DistinctTexts.read(source, 16, false, 1, ShortSignatures.Store.inMemory(documents.size()));
        long[] pairs = IntStream.range(0, contents.count())
                .boxed()
                .flatMapToLong(a -> IntStream.range(a + 1, contents.count()).mapToLong(b -> PairIds.of(a, b)))
                .toArray();
        Counted counted = new Counted(source);

        double[] jaccards = new Verification(counted, contents, THRESHOLD, 128 * 8 * 1_024).jaccards(pairs, 1);

        assertThat(jaccards).hasSize(400 * 399 / 2).containsOnly(900.0 / 1_100);
        assertThat(counted.opened).isBetween(400, 10 * 400);
    }

    /** A Z-order curve: the bits of two numbers by turns. */
    @Test
    void spreadsTheBitsOfANumber() {
        assertThat(Verification.spread(0b1011)).isEqualTo(0b1000101);
        assertThat(Verification.spread(-1)).isEqualTo(0x5555555555555555L);
        assertThat(Verification.spread(1 << 26)).isEqualTo(1L << 52);
    }

    /** Counts the documents that are opened. */
    private static final class Counted implements ShingleSource {
        private final ShingleSource source;
        private int opened;

        Counted(ShingleSource source) {
            this.source = source;
        }

        @Override
        public int count() {
            return source.count();
        }

        @Override
        public int compare(int a, int b) {
            return source.compare(a, b);
        }

        @Override
        public Reader reader() {
            Reader reader = source.reader();
            return new Reader() {
                @Override
                public void open(int document) throws IOException {
                    opened++;
                    reader.open(document);
                }

                @Override
                public void sign(long[] into) {
                    reader.sign(into);
                }

                @Override
                int gather() {
                    return reader.gather();
                }

                @Override
                void copy(long[] into) {
                    reader.copy(into);
                }

                @Override
                long[] part(int part, int parts) {
                    return reader.part(part, parts);
                }
            };
        }
    }
}
