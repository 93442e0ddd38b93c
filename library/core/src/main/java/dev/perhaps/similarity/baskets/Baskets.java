package dev.perhaps.similarity.baskets;

import dev.perhaps.key.Key;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Baskets of items that can be read again: {@link CorrelatedItems} reads all of them twice. Items are numbers from 0 on, given
 * in any order while baskets are read for the first time, and the same the second time.
 *
 * <p>{@code Baskets.of(List.of(Set.of("bread", "butter"), Set.of("bread", "tea")))}
 */
public interface Baskets {
    /** Shows every basket once; the same baskets, in any order, each time. */
    void read(Sink sink) throws IOException;

    /** The hash of an item that has been shown: of what it is called, not of its number. */
    long hash(int item);

    /** Which of two items is named first: below 0 for {@code a}. */
    int compare(int a, int b);

    /** Takes one basket: the items in {@code [from, to)}; one that comes twice counts once. The array is reused. */
    @FunctionalInterface
    interface Sink {
        /** Takes one basket: the items in {@code [from, to)} of an array that is reused after the call. */
        void take(int[] items, int from, int to) throws IOException;
    }

    /** Baskets that are in memory already. */
    static Listed of(List<? extends Collection<String>> baskets) {
        return new Listed(baskets);
    }

    /** Baskets of strings, with the names of their items. */
    final class Listed implements Baskets {
        private final List<String> names = new ArrayList<>();
        private final int[][] baskets;

        private Listed(List<? extends Collection<String>> list) {
            Map<String, Integer> numbers = new HashMap<>();
            this.baskets = new int[list.size()][];
            for (int i = 0; i < baskets.length; i++) {
                Collection<String> basket = list.get(i);
                int[] items = new int[basket.size()];
                int count = 0;
                for (String name : basket) {
                    items[count++] = numbers.computeIfAbsent(name, first -> {
                        names.add(first);
                        return numbers.size();
                    });
                }
                baskets[i] = items;
            }
        }

        /** What an item is called. */
        public String name(int item) {
            return names.get(item);
        }

        @Override
        public void read(Sink sink) throws IOException {
            for (int[] basket : baskets) {
                sink.take(basket, 0, basket.length);
            }
        }

        @Override
        public long hash(int item) {
            return Key.strings().hash(names.get(item));
        }

        @Override
        public int compare(int a, int b) {
            return names.get(a).compareTo(names.get(b));
        }
    }
}
