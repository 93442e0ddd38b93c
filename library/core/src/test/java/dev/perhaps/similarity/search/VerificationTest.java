package dev.perhaps.similarity.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.key.Key;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.text.SetBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
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
}
