package dev.perhaps.bench.membership;

import dev.perhaps.bench.Contender;
import dev.perhaps.bench.Entrant;
import dev.perhaps.bench.Entrant.Building;
import dev.perhaps.bench.FreshClass;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BlockedBloom;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.sketch.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.fastfilter.bloom.Bloom;
import org.fastfilter.cuckoo.Cuckoo16;
import org.fastfilter.cuckoo.Cuckoo8;
import org.fastfilter.xor.Xor16;
import org.fastfilter.xor.Xor8;

/** The rows for filters, ours and those of other libraries, one line each. */
final class MembershipRows {
    /** The error that everything without a fixed fingerprint is planned for. */
    private static final double ERROR = 0.01;

    /**
     * The bits per key of a Bloom filter at that error; fastfilter is given the bits, and the reference uses the same
     * number.
     */
    private static final double BLOOM_BITS = 9.6;

    /** The error of 16-bit fingerprints in two buckets of four. */
    private static final double CUCKOO_16 = 2 * 4 / 65_536.0;

    /** The bits per key of a cuckoo filter at that error. */
    private static final double CUCKOO_BITS = 16.84;

    /** The error of 8-bit fingerprints. */
    private static final double FUSE_8 = 1 / 256.0;

    /** Guava takes ten times as long: a tenth of the keys is as good a sample of its time per key. */
    private static final double GUAVA_SHARE = 0.1;

    /** Larger runs include only structures that are made for them. */
    static final int LARGE = 20_000_000;

    static final OwnRow BLOOM = OwnRow.of("bloom", Kind.BLOOM, (plan, items) -> plan.falsePositives(ERROR));
    static final OwnRow BLOCKED_12 =
            OwnRow.of("blocked 12", Kind.BLOCKED, (plan, items) -> plan.memoryBytes(items * 12 / Byte.SIZE));
    static final OwnRow BLOCKED_16 =
            OwnRow.of("blocked 16", Kind.BLOCKED, (plan, items) -> plan.memoryBytes(items * 16 / Byte.SIZE));
    static final OwnRow FUSE = OwnRow.of("fuse 8", Kind.FUSE, (plan, items) -> plan.falsePositives(FUSE_8));
    static final OwnRow CUCKOO = OwnRow.of("cuckoo 16", Kind.CUCKOO, (plan, items) -> plan.falsePositives(CUCKOO_16))
            .upTo(LARGE);
    static final OwnRow QUOTIENT = OwnRow.of("quotient", Kind.QUOTIENT, (plan, items) -> plan.falsePositives(ERROR))
            .upTo(LARGE);
    static final OwnRow COUNTING = OwnRow.of("counting", Kind.COUNTING, (plan, items) -> plan.falsePositives(ERROR))
            .upTo(LARGE);
    static final OwnRow COUNTING2 = OwnRow.of("counting2", Kind.COUNTING2, (plan, items) -> plan.falsePositives(ERROR))
            .upTo(LARGE);
    static final OwnRow SCALABLE = OwnRow.of("scalable", Kind.SCALABLE, (plan, items) -> plan.falsePositives(ERROR))
            .upTo(LARGE);

    static final OwnRow EXPIRING = OwnRow.of("expiring", Kind.EXPIRING, (plan, items) -> plan.falsePositives(ERROR))
            .upTo(LARGE);

    static final String BLOOM_STRINGS = "bloom, strings";
    static final String BLOOM_STRING_BATCHES = "bloom, strings, batches";
    static final String BLOOM_UTF16_BATCHES = "bloom, strings as UTF-16, batches";
    static final String BLOCKED_STRING_BATCHES = "blocked 12, strings, batches";
    static final String BLOCKED_UTF16_BATCHES = "blocked 12, strings as UTF-16, batches";
    static final String STRING_REFERENCE = "reference, strings";

    static final String REFERENCE = "reference";
    static final String REFERENCE_OF_TWO = "reference, two words";
    static final String REFERENCE_OF_SEVEN = "reference, seven words";
    static final String GUAVA = "Guava";
    static final String GUAVA_STRINGS = "Guava, strings";
    static final String FAST_BLOOM = "fastfilter Bloom";
    static final String FAST_BLOCKED_12 = "fastfilter BlockedBloom 12";
    static final String FAST_BLOCKED_20 = "fastfilter BlockedBloom 20";
    static final String FAST_CUCKOO_16 = "fastfilter Cuckoo16";
    static final String FAST_XOR_8 = "fastfilter Xor8";

    private MembershipRows() {}

    /** All of ours, for the comparison of plan, size and heap. */
    static List<OwnRow> ours() {
        return List.of(BLOOM, BLOCKED_12, BLOCKED_16, FUSE, CUCKOO, QUOTIENT, COUNTING, COUNTING2, SCALABLE, EXPIRING);
    }

    /** Those of which batches are compared with single lookups. */
    static List<OwnRow> inBatches() {
        return List.of(CUCKOO, QUOTIENT, COUNTING, COUNTING2, SCALABLE);
    }

    /** Those whose merging is compared with adding. */
    static List<OwnRow> merging() {
        return List.of(BLOOM, QUOTIENT);
    }

    /** What is built at once, beside the same one by one. */
    static List<BulkRow> bulk() {
        return List.of(
                BulkRow.oneByOne(BLOOM),
                BulkRow.atOnce(BLOOM, BLOOM.inBulk(), BLOOM.name()),
                BulkRow.oneByOne(BLOCKED_12),
                BulkRow.atOnce(BLOCKED_12, BLOCKED_12.inBulk(), BLOCKED_12.name()),
                BulkRow.atOnce(FUSE, FUSE.atOnce(), FUSE.name()),
                new BulkRow(guava(), GUAVA, items -> (long) (items * BLOOM_BITS / Byte.SIZE), GUAVA_SHARE));
    }

    private static Entrant<long[]> guava() {
        return Entrant.of(GUAVA, FreshClass.of(PeerLoops.Guava.class, ERROR));
    }

    static List<Entrant<long[]>> longs() {
        List<Entrant<long[]>> rows = new ArrayList<>();
        own(rows, BLOOM, List.of(OwnRow::oneByOne, OwnRow::inBatches, OwnRow::inBulk));
        own(rows, BLOCKED_12, List.of(OwnRow::oneByOne, OwnRow::inBulk));
        own(rows, BLOCKED_16, List.of(OwnRow::oneByOne));
        own(rows, FUSE, List.of(OwnRow::atOnce, OwnRow::onOneThread));
        for (OwnRow own : inBatches()) {
            own(rows, own, List.of(OwnRow::oneByOne, OwnRow::inBatches));
        }
        own(rows, EXPIRING, List.of(OwnRow::overAWindow));

        rows.add(Entrant.of(REFERENCE, FreshClass.of(PeerLoops.Reference.class, BLOOM_BITS)));
        rows.add(Entrant.of(REFERENCE_OF_TWO, FreshClass.of(PeerLoops.ReferenceOfTwo.class, CUCKOO_BITS)));
        rows.add(Entrant.of(REFERENCE_OF_SEVEN, FreshClass.of(PeerLoops.ReferenceOfSeven.class, BLOOM_BITS)));
        rows.add(guava());
        rows.add(peer("Guava, two by turns", PeerLoops.GuavaByTurns.class));
        rows.add(fastFilter(FAST_BLOOM, keys -> Bloom.construct(keys, BLOOM_BITS)));
        rows.add(fastFilter(FAST_BLOCKED_12, keys -> org.fastfilter.bloom.BlockedBloom.construct(keys, 12)));
        rows.add(fastFilter(FAST_BLOCKED_20, keys -> org.fastfilter.bloom.BlockedBloom.construct(keys, 20)));
        rows.add(fastFilter("fastfilter Cuckoo8", Cuckoo8::construct));
        rows.add(fastFilter(FAST_CUCKOO_16, Cuckoo16::construct));
        rows.add(fastFilter(FAST_XOR_8, Xor8::construct));
        rows.add(fastFilter("fastfilter Xor16", Xor16::construct));
        rows.add(peer("DataSketches", PeerLoops.DataSketches.class));
        rows.add(peer("Spark", PeerLoops.Spark.class));
        rows.add(peer("stream-lib", PeerLoops.StreamLib.class));
        rows.add(peer("Commons Collections", PeerLoops.Commons.class));
        rows.add(peer("cuckoofilter4j", PeerLoops.CuckooFilter4j.class));
        rows.add(peer("Parquet split-block", PeerLoops.Parquet.class));
        return rows;
    }

    static List<Entrant<String[]>> strings() {
        LongFunction<FilterPlan.Fillable<String>> bloom =
                items -> BloomFilter.expecting(items).falsePositives(ERROR);
        LongFunction<FilterPlan.Fillable<String>> blocked =
                items -> BlockedBloom.expecting(items).memoryBytes(items * 12 / Byte.SIZE);
        return List.of(
                Entrant.of(BLOOM_STRINGS, FreshClass.of(OurLoops.Strings.class, bloom))
                        .upTo(LARGE),
                stringBatches(BLOOM_STRING_BATCHES, bloom),
                stringBatches(BLOOM_UTF16_BATCHES, items -> bloom.apply(items).of(Key.utf16())),
                stringBatches(BLOCKED_STRING_BATCHES, blocked),
                stringBatches(
                        BLOCKED_UTF16_BATCHES, items -> blocked.apply(items).of(Key.utf16())),
                Entrant.of(STRING_REFERENCE, FreshClass.of(PeerLoops.StringReference.class, BLOOM_BITS))
                        .upTo(LARGE),
                Entrant.of(GUAVA_STRINGS, FreshClass.of(PeerLoops.GuavaStrings.class, ERROR))
                        .upTo(LARGE));
    }

    private static Entrant<String[]> stringBatches(String name, LongFunction<FilterPlan.Fillable<String>> plan) {
        return Entrant.of(name, FreshClass.of(OurLoops.StringBatches.class, plan))
                .upTo(LARGE);
    }

    private static void own(List<Entrant<long[]>> rows, OwnRow own, List<Function<OwnRow, Entrant<long[]>>> forms) {
        if (own.exists()) {
            forms.forEach(form -> rows.add(form.apply(own)));
        }
    }

    private static Entrant<long[]> peer(String name, Class<? extends Contender<long[]>> loops) {
        return Entrant.of(name, FreshClass.of(loops, ERROR)).upTo(LARGE);
    }

    private static Entrant<long[]> fastFilter(String name, Function<long[], org.fastfilter.Filter> construct) {
        return Entrant.of(name, FreshClass.of(PeerLoops.FastFilter.class, construct))
                .built(Building.AT_ONCE)
                .upTo(LARGE);
    }
}
