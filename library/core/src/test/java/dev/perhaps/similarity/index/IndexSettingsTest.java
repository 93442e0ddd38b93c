package dev.perhaps.similarity.index;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.duplicates.NearDuplicates;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An index says how it was made, also when it was opened from a file. */
class IndexSettingsTest {
    @TempDir
    Path folder;

    @Test
    void anIndexOfTextsKnowsItsShinglesAndItsSignatures() throws Exception {
        NearDuplicates search = NearDuplicates.atLeast(0.8)
                .classic()
                .shingles(Shingles.codePoints(5).normalised());
        SimilarityIndex index = search.index().build();
        Path file = folder.resolve("index");
        index.save(file);
        for (DocumentIndex each : new DocumentIndex[] {
            index,
            (DocumentIndex) dev.perhaps.Perhaps.open(file),
            SimilarityIndex.map(file, index.minHash().key())
        }) {
            assertThat(each.shingles().orElseThrow().size()).isEqualTo(5);
            assertThat(each.shingles().orElseThrow().isNormalising()).isTrue();
            assertThat(each.minHash().isClassic()).isTrue();
        }
    }

    @Test
    void plainShinglesAndFastSignaturesAreToldApart() {
        SimilarityIndex index = NearDuplicates.atLeast(0.8).index().build();
        assertThat(index.shingles().orElseThrow().isNormalising()).isFalse();
        assertThat(index.minHash().isClassic()).isFalse();
    }
}
