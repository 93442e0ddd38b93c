package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.foreign.GuavaBloom;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import java.util.AbstractCollection;
import java.util.BitSet;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A batch of values is answered and added as the values are one by one, for every kind and for every length of batch. */
@SuppressWarnings("ReturnValueIgnored") // what is added shows in the bytes
class ValueBatchesTest {
    private static final int ITEMS = 2_000;
    private static final List<Long> MEMBERS =
            LongStream.range(0, ITEMS).map(i -> i * i).boxed().toList();

    /** Members and others by turns, in no order. */
    private static final List<Long> ASKED =
            LongStream.range(0, 3_000).map(i -> i % 3 == 0 ? i * i : -i).boxed().toList();

    /** Around the words of results and the blocks of hashes. */
    private static final int[] LENGTHS = {0, 1, 2, 63, 64, 65, 511, 512, 513, 1_024, 1_100, 3_000};

    static Stream<Subject> subjects() {
        return Subject.all();
    }

    static Stream<Subject> fillable() {
        return Subject.all().filter(subject -> subject.plan().apply(ITEMS) instanceof FilterPlan.Fillable<?>);
    }

    private static <T> BitSet oneByOne(Filter<T> filter, List<T> values) {
        return IntStream.range(0, values.size())
                .filter(i -> filter.mightContain(values.get(i)))
                .collect(BitSet::new, BitSet::set, BitSet::or);
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void areAnsweredAsOneByOne(Subject subject) {
        HashFilter<Long> filter = subject.plan().apply(ITEMS).buildFrom(Hashes.of(Key.longs(), MEMBERS));
        for (int length : LENGTHS) {
            List<Long> values = ASKED.subList(0, length);
            BitSet expected = oneByOne(filter, values);
            assertThat(filter.mightContainAll(values)).isEqualTo(expected);
            assertThat(filter.mightContainAll(values.toArray(new Long[0]))).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @MethodSource("fillable")
    void areAddedAsOneByOne(Subject subject) {
        for (int length : LENGTHS) {
            List<Long> values = ASKED.subList(0, Math.min(length, ITEMS));
            HashFilter.Adds<Long> oneByOne = empty(subject);
            values.forEach(oneByOne::add);
            HashFilter.Adds<Long> list = empty(subject);
            assertThat(list.addAll(values)).isEqualTo(values.size());
            HashFilter.Adds<Long> stream = empty(subject);
            assertThat(stream.addAll(() -> values.stream().iterator())).isEqualTo(values.size());
            assertThat(list.toBytes()).isEqualTo(oneByOne.toBytes());
            assertThat(stream.toBytes()).isEqualTo(oneByOne.toBytes());
        }
    }

    private static HashFilter.Adds<Long> empty(Subject subject) {
        return ((FilterPlan.Fillable<Long>) subject.plan().apply(ITEMS)).build();
    }

    /** Strings of a block are hashed after all of them were taken. */
    @Test
    void stringsAreAnsweredAndAddedAsOneByOne() {
        for (int length : LENGTHS) {
            List<String> values =
                    IntStream.range(0, length).mapToObj(i -> "text " + i % 700).toList();
            BloomFilter<String> oneByOne = BloomFilter.expecting(ITEMS).build();
            values.subList(0, length / 2).forEach(oneByOne::add);
            BloomFilter<String> list = BloomFilter.expecting(ITEMS).build();
            list.addAll(values.subList(0, length / 2));
            assertThat(list).isEqualTo(oneByOne);
            assertThat(list.mightContainAll(values)).isEqualTo(oneByOne(oneByOne, values));
        }
    }

    /** An iterator may return one array over and over, with other content. */
    @Test
    void mayBeOneArrayWithOtherContentEachTime() {
        byte[] reused = new byte[2];
        Iterable<byte[]> all = () -> IntStream.range(0, ITEMS)
                .mapToObj(i -> {
                    reused[0] = (byte) i;
                    reused[1] = (byte) (i >> 8);
                    return reused;
                })
                .iterator();
        BloomFilter<byte[]> oneByOne =
                BloomFilter.expecting(ITEMS).of(Key.bytes()).build();
        all.forEach(oneByOne::add);
        BloomFilter<byte[]> added = BloomFilter.expecting(ITEMS).of(Key.bytes()).build();
        assertThat(added.addAll(all)).isEqualTo(ITEMS);
        assertThat(added).isEqualTo(oneByOne);
    }

    /** Another thread may add to a collection after its size was read. */
    @Test
    void mayBeMoreThanTheCollectionSaid() {
        BloomFilter<Long> filter = BloomFilter.expecting(ITEMS).of(Key.longs()).build();
        filter.addAll(MEMBERS);
        for (int said : new int[] {0, 1, 70, 512, 600}) {
            Collection<Long> growing = new AbstractCollection<>() {
                @Override
                public Iterator<Long> iterator() {
                    return ASKED.iterator();
                }

                @Override
                public int size() {
                    return said;
                }
            };
            assertThat(filter.mightContainAll(growing)).isEqualTo(oneByOne(filter, ASKED));
        }
    }

    @Test
    void areAnsweredByForeignFiltersToo() {
        GuavaBloom<Long> filter =
                GuavaBloom.expecting(ITEMS).of(GuavaBloom.Funnel.longs()).build();
        MEMBERS.forEach(filter::add);
        assertThat(filter.mightContainAll(ASKED)).isEqualTo(oneByOne(filter, ASKED));
    }
}
