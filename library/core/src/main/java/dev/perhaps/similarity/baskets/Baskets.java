package dev.perhaps.similarity.baskets;

import dev.perhaps.key.Key;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Baskets of items that can be read several times: {@link CorrelatedItems} reads all of them twice. Items are numbered
 * from 0 in any order during the first read, and have the same numbers in the second.
 *
 * <p>{@code Baskets.of(List.of(Set.of("bread", "butter"), Set.of("bread", "tea")))}
 */
public interface Baskets {
    /** Passes every basket to the sink once; each time the same baskets, in any order. */
    void read(Sink sink) throws IOException;

    /** Returns the hash of an item's name, not of its number, for an item that was read. */
    long hash(int item);

    /** Compares two items: below 0 if {@code a} is listed first. */
    int compare(int a, int b);

    /** Receives baskets. A repeated item counts once. */
    @FunctionalInterface
    interface Sink {
        /** Takes one basket: the items in {@code [from, to)} of an array that is reused after the call. */
        void take(int[] items, int from, int to) throws IOException;
    }

    /** Returns baskets that are in memory. */
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

        /** Returns the name of an item. */
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
