package dev.perhaps.similarity.duplicates;

import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.index.DocumentIndex;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a user asked of {@link NearDuplicates}. Immutable.
 *
 * @param minimumHits components in common that make an edge of the document graph; 0 if the threshold does
 * @param rows rows of a band; 0 if they follow from the recall
 * @param earlier the index to compare with, or null
 * @param folder where signatures go, or null if they stay in memory
 */
record DuplicateRequest(
        double threshold,
        double recall,
        int minimumHits,
        int components,
        boolean classic,
        int rows,
        boolean star,
        boolean keepFirst,
        int threads,
        Shingles shingles,
        @Nullable DocumentIndex earlier,
        @Nullable Path folder) {
    static DuplicateRequest of(double threshold, int minimumHits, int components) {
        return new DuplicateRequest(
                threshold,
                NearDuplicates.DEFAULT_RECALL,
                minimumHits,
                components,
                false,
                0,
                false,
                false,
                Runtime.getRuntime().availableProcessors(),
                Shingles.codePoints(),
                null,
                null);
    }

    private DuplicateRequest with(double chance, int ofBand, Shingles cut, boolean byPermutations, int signed) {
        return new DuplicateRequest(
                threshold,
                chance,
                minimumHits,
                signed,
                byPermutations,
                ofBand,
                star,
                keepFirst,
                threads,
                cut,
                earlier,
                folder);
    }

    DuplicateRequest bands(double chance, int ofBand) {
        return with(chance, ofBand, shingles, classic, components);
    }

    /** Signatures of other components; the rows of a band follow from the recall again. */
    DuplicateRequest signed(int k) {
        return with(recall, 0, shingles, classic, k);
    }

    DuplicateRequest byPermutations() {
        return with(recall, rows, shingles, true, components);
    }

    DuplicateRequest cutInto(Shingles other) {
        return with(recall, rows, other, classic, components);
    }

    private DuplicateRequest run(
            boolean stars, boolean first, int workers, @Nullable DocumentIndex index, @Nullable Path spill) {
        return new DuplicateRequest(
                threshold,
                recall,
                minimumHits,
                components,
                classic,
                rows,
                stars,
                first,
                workers,
                shingles,
                index,
                spill);
    }

    DuplicateRequest inStars() {
        return run(true, keepFirst, threads, earlier, folder);
    }

    DuplicateRequest keepingFirst() {
        return run(star, true, threads, earlier, folder);
    }

    DuplicateRequest onThreads(int count) {
        return run(star, keepFirst, count, earlier, folder);
    }

    DuplicateRequest against(DocumentIndex index) {
        return run(star, keepFirst, threads, index, folder);
    }

    DuplicateRequest spilledTo(Path directory) {
        return run(star, keepFirst, threads, earlier, directory);
    }
}
