package dev.perhaps.bench;

import dev.perhaps.bench.Entrant.Building;
import dev.perhaps.io.Kind;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.FilterPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.fastfilter.bloom.BlockedBloom;
import org.fastfilter.bloom.Bloom;
import org.fastfilter.cuckoo.Cuckoo16;
import org.fastfilter.cuckoo.Cuckoo8;
import org.fastfilter.xor.Xor16;
import org.fastfilter.xor.Xor8;

/** Who takes part: our filters and the peers, one line each. */
final class MembershipRows {
    static final String BLOOM = "bloom";
    static final String BLOOM_STRINGS = "bloom, strings";

    static final String GUAVA = "Guava";
    static final String GUAVA_STRINGS = "Guava, strings";
    static final String FAST_BLOOM = "fastfilter Bloom";
    static final String REFERENCE = "reference";

    /** The error that everything without a fixed fingerprint is planned for. */
    private static final double ERROR = 0.01;

    /** What Bloom filters take at that error; fastfilter is told the bits, and the reference takes as many. */
    private static final double BLOOM_BITS = 9.6;

    /** Beyond this, only the rows that are made for it take part. */
    private static final int LARGE = 20_000_000;

    private MembershipRows() {}

    private static final Own OUR_BLOOM = Own.of(BLOOM, Kind.BLOOM, (plan, items) -> plan.falsePositives(ERROR));

    /** All of ours, for the comparison of plan, size and heap. */
    static List<Own> ours() {
        return List.of(OUR_BLOOM);
    }

    /** Those of ours that can be merged. */
    static List<Own> mergeable() {
        return List.of(OUR_BLOOM);
    }

    static List<Entrant<long[]>> longs() {
        List<Entrant<long[]>> rows = new ArrayList<>();
        rows.add(OUR_BLOOM.oneByOne());
        rows.add(OUR_BLOOM.inBatches());
        rows.add(OUR_BLOOM.inBulk());

        rows.add(Entrant.of(REFERENCE, FreshClass.of(PeerLoops.Reference.class, BLOOM_BITS)));
        rows.add(Entrant.of(GUAVA, FreshClass.of(PeerLoops.Guava.class, ERROR)));
        rows.add(fastFilter(FAST_BLOOM, keys -> Bloom.construct(keys, BLOOM_BITS)));
        rows.add(fastFilter("fastfilter BlockedBloom 12", keys -> BlockedBloom.construct(keys, 12)));
        rows.add(fastFilter("fastfilter BlockedBloom 20", keys -> BlockedBloom.construct(keys, 20)));
        rows.add(fastFilter("fastfilter Cuckoo8", Cuckoo8::construct));
        rows.add(fastFilter("fastfilter Cuckoo16", Cuckoo16::construct));
        rows.add(fastFilter("fastfilter Xor8", Xor8::construct));
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
        return List.of(
                Entrant.of(BLOOM_STRINGS, FreshClass.of(OurLoops.Strings.class, bloom)),
                Entrant.of(GUAVA_STRINGS, FreshClass.of(PeerLoops.GuavaStrings.class, ERROR)));
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
