package dev.perhaps.lab.filters;

import dev.perhaps.key.Hashes;
import dev.perhaps.membership.BlockedBloom;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.CuckooFilter;
import dev.perhaps.membership.FuseFilter;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.membership.QuotientSet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A filter of a given capacity that is filled step by step. Each kind has its own loops, as in a user's program. */
abstract class LoadedFilter {
    /*
     * The compiler inlines a virtual call by the types it has seen at that place. A loop shared by all kinds would call
     * through a table, some 3 ns per operation that no user with one kind of filter pays: so the loops are written five
     * times.
     */
    static final double ERROR = 0.01;

    /** The kinds, and what room means for them. */
    enum Kind {
        BLOOM("Bloom", 1),
        BLOCKED("blocked Bloom", 1),
        QUOTIENT("quotient", 0.9),
        CUCKOO("cuckoo", 0.95),
        FUSE("fuse", 1);

        final String title;

        /** How full it gets before it says so: of its slots, or of the items it was planned for. */
        final double mostLoad;

        Kind(String title, double mostLoad) {
            this.title = title;
            this.mostLoad = mostLoad;
        }

        LoadedFilter of(int room) {
            return switch (this) {
                case BLOOM -> new Bloom(room);
                case BLOCKED -> new Blocked(room);
                case QUOTIENT -> new Quotient(room);
                case CUCKOO -> new Cuckoo(room);
                case FUSE -> new Fuse();
            };
        }
    }

    /** Adds hashes; those before {@code from} are in it already. */
    abstract void add(long[] hashes, int from, int to);

    abstract int found(long[] hashes);

    abstract HashFilter<String> filter();

    private static final class Bloom extends LoadedFilter {
        private final BloomFilter<String> filter;

        Bloom(int room) {
            filter = BloomFilter.expecting(room).falsePositives(ERROR).build();
        }

        @Override
        void add(long[] hashes, int from, int to) {
            for (int i = from; i < to; i++) {
                filter.addHash(hashes[i]);
            }
        }

        @Override
        int found(long[] hashes) {
            int found = 0;
            for (long hash : hashes) {
                found += filter.mightContainHash(hash) ? 1 : 0;
            }
            return found;
        }

        @Override
        HashFilter<String> filter() {
            return filter;
        }
    }

    private static final class Blocked extends LoadedFilter {
        private final BlockedBloom<String> filter;

        Blocked(int room) {
            filter = BlockedBloom.expecting(room).falsePositives(ERROR).build();
        }

        @Override
        void add(long[] hashes, int from, int to) {
            for (int i = from; i < to; i++) {
                filter.addHash(hashes[i]);
            }
        }

        @Override
        int found(long[] hashes) {
            int found = 0;
            for (long hash : hashes) {
                found += filter.mightContainHash(hash) ? 1 : 0;
            }
            return found;
        }

        @Override
        HashFilter<String> filter() {
            return filter;
        }
    }

    private static final class Quotient extends LoadedFilter {
        private final QuotientSet<String> filter;

        Quotient(int room) {
            filter = QuotientSet.expecting(Math.round(room * Kind.QUOTIENT.mostLoad))
                    .load(Kind.QUOTIENT.mostLoad)
                    .falsePositives(ERROR)
                    .build();
        }

        @Override
        void add(long[] hashes, int from, int to) {
            for (int i = from; i < to; i++) {
                filter.addHash(hashes[i]);
            }
        }

        @Override
        int found(long[] hashes) {
            int found = 0;
            for (long hash : hashes) {
                found += filter.mightContainHash(hash) ? 1 : 0;
            }
            return found;
        }

        @Override
        HashFilter<String> filter() {
            return filter;
        }
    }

    private static final class Cuckoo extends LoadedFilter {
        private final CuckooFilter<String> filter;

        Cuckoo(int room) {
            filter = CuckooFilter.expecting(Math.round(room * Kind.CUCKOO.mostLoad))
                    .falsePositives(ERROR)
                    .build();
        }

        @Override
        void add(long[] hashes, int from, int to) {
            for (int i = from; i < to; i++) {
                filter.addHash(hashes[i]);
            }
        }

        @Override
        int found(long[] hashes) {
            int found = 0;
            for (long hash : hashes) {
                found += filter.mightContainHash(hash) ? 1 : 0;
            }
            return found;
        }

        @Override
        HashFilter<String> filter() {
            return filter;
        }
    }

    /** Cannot be added to: it is built again from all keys at every step. */
    private static final class Fuse extends LoadedFilter {
        private @Nullable FuseFilter<String> filter;

        @Override
        void add(long[] hashes, int from, int to) {
            filter = FuseFilter.expecting(to).falsePositives(ERROR).buildFrom(Hashes.of(Arrays.copyOf(hashes, to)));
        }

        @Override
        int found(long[] hashes) {
            FuseFilter<String> built = filter();
            int found = 0;
            for (long hash : hashes) {
                found += built.mightContainHash(hash) ? 1 : 0;
            }
            return found;
        }

        @Override
        FuseFilter<String> filter() {
            if (filter == null) {
                throw new IllegalStateException("nothing was added yet");
            }
            return filter;
        }
    }
}
