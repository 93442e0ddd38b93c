package dev.perhaps.cli.similarity;

import dev.perhaps.cli.engine.Engine;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.duplicates.NearDuplicates;
import dev.perhaps.similarity.index.DocumentIndex;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that define near duplicates, and which of them is kept. */
final class SearchOptions {
    private static final double DEFAULT_THRESHOLD = 0.8;

    /** Which document of a cluster is kept. */
    enum Keep {
        LONGEST,
        FIRST
    }

    /** How signatures are made. */
    enum Scheme {
        FAST,
        CLASSIC
    }

    /** How bands are planned. */
    enum Bands {
        RECALL,
        LECTURE
    }

    /** What a cluster is. */
    enum Cluster {
        COMPONENTS,
        STAR
    }

    @Option(
            names = "--threshold",
            paramLabel = "T",
            description = "The smallest Jaccard similarity, in (0, 1] (default: " + DEFAULT_THRESHOLD + ").")
    private @Nullable Double threshold;

    @Option(
            names = "--recall",
            paramLabel = "R",
            description = "The probability of finding a pair at the threshold, in (0, 1) (default: "
                    + NearDuplicates.DEFAULT_RECALL + ").")
    private @Nullable Double recall;

    @Option(
            names = "--shingle",
            paramLabel = "N",
            description = "Compare runs of N characters (default: " + Shingles.DEFAULT_SIZE + ").")
    private @Nullable Integer shingle;

    @Option(
            names = "--normalise",
            description = "Compare as if case, runs of white space and composed letters made no difference.")
    private boolean normalise;

    @Option(
            names = "--components",
            paramLabel = "K",
            description = "Number of components of a signature (default: " + NearDuplicates.DEFAULT_COMPONENTS + ").")
    private @Nullable Integer components;

    @Option(
            names = "--signature",
            paramLabel = "HOW",
            description = "How signatures are computed: fast, or classic as in the lectures (default: fast).")
    private @Nullable Scheme signature;

    @Option(
            names = "--bands",
            paramLabel = "HOW",
            description = "How bands are chosen: recall, or lecture, the rule of the lectures (default: recall).")
    private @Nullable Bands bands;

    @Option(
            names = "--cluster",
            paramLabel = "WHAT",
            description = "What a cluster is: all documents that pairs connect (components), or a kept document and "
                    + "its pairs (star)"
                    + " (default: components).")
    private Cluster cluster = Cluster.COMPONENTS;

    @Option(
            names = "--keep",
            paramLabel = "WHICH",
            description = "Which document of a cluster is kept: longest or first (default: longest).")
    private Keep keep = Keep.LONGEST;

    @Option(names = "--jobs", paramLabel = "N", description = "Number of threads (default: number of processors).")
    private @Nullable Integer jobs;

    /** A search of its own; with a number of hits, that of the lectures' document graph. */
    NearDuplicates search(@Nullable Integer minimumHits) {
        if (bands == Bands.LECTURE && recall != null) {
            throw new BadInput("--bands lecture and --recall exclude each other: use one of them");
        }
        NearDuplicates search;
        if (minimumHits == null) {
            search = NearDuplicates.atLeast(threshold == null ? DEFAULT_THRESHOLD : threshold);
        } else if (threshold == null && recall == null && bands == null) {
            search = NearDuplicates.documentGraph(minimumHits);
        } else {
            throw new BadInput("--minimum-hits takes the place of --threshold, --recall and --bands: leave them out");
        }
        search = components == null ? search : search.components(components);
        search = recall == null ? search : search.recall(recall);
        search = bands == Bands.LECTURE ? search.lectureBands() : search;
        search = signature == Scheme.CLASSIC ? search.classic() : search;
        Shingles shingles = Shingles.codePoints(shingle == null ? Shingles.DEFAULT_SIZE : shingle);
        return kept(search.shingles(normalise ? shingles.normalised() : shingles));
    }

    /** Refuses what the search on Spark does not have. */
    void refuseForSpark() {
        String refused = signature == Scheme.CLASSIC
                ? "--signature classic"
                : bands == Bands.LECTURE ? "--bands lecture" : jobs != null ? "--jobs" : null;
        if (refused != null) {
            throw new BadInput(refused + " is not for Spark: "
                    + (jobs != null ? "use --master 'local[" + jobs + "]'" : "leave it out, or use --engine local"));
        }
    }

    /** The same search, for an engine. */
    Engine.DuplicateSearch forEngine() {
        Shingles shingles = Shingles.codePoints(shingle == null ? Shingles.DEFAULT_SIZE : shingle);
        return new Engine.DuplicateSearch(
                threshold == null ? DEFAULT_THRESHOLD : threshold,
                recall == null ? NearDuplicates.DEFAULT_RECALL : recall,
                components == null ? NearDuplicates.DEFAULT_COMPONENTS : components,
                normalise ? shingles.normalised() : shingles,
                cluster == Cluster.STAR,
                keep == Keep.FIRST);
    }

    private NearDuplicates kept(NearDuplicates search) {
        NearDuplicates kept = keep == Keep.FIRST ? search.keepFirst() : search;
        kept = cluster == Cluster.STAR ? kept.stars() : kept;
        return jobs == null ? kept : kept.threads(jobs);
    }

    /** A search as the index was made, and against it; what was said otherwise is refused. */
    NearDuplicates continuing(DocumentIndex index, SketchFile file) {
        Shingles shingles = index.shingles()
                .orElseThrow(
                        () -> new BadInput(file + " does not hold texts: query it with the program that wrote it"));
        Banding banding = index.banding();
        refuse(
                threshold != null && threshold != banding.threshold(),
                file,
                "--threshold " + threshold,
                banding.threshold());
        refuse(recall != null && recall != index.recall(), file, "--recall " + recall, index.recall());
        refuse(
                components != null && components != banding.components(),
                file,
                "--components " + components,
                banding.components());
        refuse(shingle != null && shingle != shingles.size(), file, "--shingle " + shingle, shingles);
        refuse(normalise && !shingles.isNormalising(), file, "--normalise", shingles);
        boolean classic = index.minHash().isClassic();
        refuse(
                signature != null && classic != (signature == Scheme.CLASSIC),
                file,
                "--signature",
                classic ? "classic" : "fast");
        refuse(bands == Bands.LECTURE && !isByTheLecture(banding), file, "--bands lecture", banding);
        return kept(NearDuplicates.continuing(index));
    }

    private static boolean isByTheLecture(Banding banding) {
        return Banding.of(banding.components())
                        .threshold(banding.threshold())
                        .lecture()
                        .rows()
                == banding.rows();
    }

    private static void refuse(boolean differs, SketchFile file, String option, Object made) {
        if (differs) {
            throw new BadInput(option + ": " + file + " was built for " + made
                    + ": leave the option out, or build the index again");
        }
    }
}
