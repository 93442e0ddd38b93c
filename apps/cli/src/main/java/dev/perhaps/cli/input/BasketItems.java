package dev.perhaps.cli.input;

import dev.perhaps.key.Key;
import dev.perhaps.similarity.baskets.Baskets;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Baskets of some inputs, which can be read repeatedly, and the names of their items as bytes. Confined to a thread.
 */
public final class BasketItems {
    /*
     * Items are numbered as they come. A table of numbers, open addressing by hash and at most half full, finds the number
     * of a name: 12 to 16 bytes per item beside the name itself.
     */
    private static final Key.Bytes KEY = Key.bytes();
    private static final int MAX_ITEMS = 1 << 29;

    private final BasketForm form;
    private final boolean inColumns;
    private byte[][] names = new byte[1 << 9][];
    private long[] hashes = new long[names.length];
    /** Number + 1, or 0 in an empty slot. */
    private int[] table = new int[2 * names.length];

    private int count;

    /** With {@code inColumns}, names that a column of a file cannot hold are refused. */
    public BasketItems(BasketForm form, boolean inColumns) {
        this.form = form;
        this.inColumns = inColumns;
    }

    /** Shows all baskets of these inputs. */
    public void read(List<Input> inputs, Input.Meter meter, Baskets.Sink sink) throws IOException {
        Collector collector = new Collector(sink);
        for (Input input : inputs) {
            try (Input.Open open = input.open(meter)) {
                form.read(input.name(), open.stream(), collector);
            }
        }
    }

    /** Collects the items of a basket until it ends. */
    private final class Collector implements BasketForm.Sink {
        private final Baskets.Sink sink;
        private int[] items = new int[1 << 6];
        private int held;
        private int checked = count;

        Collector(Baskets.Sink sink) {
            this.sink = sink;
        }

        @Override
        public void item(byte[] bytes, int from, int to) {
            items = held == items.length ? Arrays.copyOf(items, 2 * held) : items;
            items[held++] = number(bytes, from, to);
        }

        @Override
        public void end(String input, long line) throws IOException {
            for (; checked < count && inColumns; checked++) {
                checkName(names[checked], input, line);
            }
            sink.take(items, 0, held);
            held = 0;
        }
    }

    /** Refuses a name that a column of a file cannot hold. */
    public static void checkName(byte[] name, String input, long line) {
        Texts.checkedName(new String(name, StandardCharsets.UTF_8), input + " line " + line + ": the item");
    }

    private int number(byte[] bytes, int from, int to) {
        long hash = KEY.hash(bytes, from, to);
        int at = (int) hash & table.length - 1;
        while (table[at] != 0) {
            int number = table[at] - 1;
            if (hashes[number] == hash && Arrays.equals(names[number], 0, names[number].length, bytes, from, to)) {
                return number;
            }
            at = at + 1 & table.length - 1;
        }
        if (count == names.length) {
            grow();
            return number(bytes, from, to);
        }
        names[count] = Arrays.copyOfRange(bytes, from, to);
        hashes[count] = hash;
        table[at] = ++count;
        return count - 1;
    }

    private void grow() {
        if (count >= MAX_ITEMS) {
            throw new IllegalStateException("more than " + count + " different items: is it text?");
        }
        names = Arrays.copyOf(names, 2 * count);
        hashes = Arrays.copyOf(hashes, 2 * count);
        table = new int[4 * count];
        for (int number = 0; number < count; number++) {
            int at = (int) hashes[number] & table.length - 1;
            while (table[at] != 0) {
                at = at + 1 & table.length - 1;
            }
            table[at] = number + 1;
        }
    }

    public long hash(int item) {
        return hashes[item];
    }

    /** By bytes, which for UTF-8 is the order of code points. */
    public int compare(int a, int b) {
        return Arrays.compareUnsigned(names[a], names[b]);
    }

    /** Returns the name as it was read. */
    public byte[] nameBytes(int item) {
        return names[item];
    }

    public String name(int item) {
        return new String(names[item], StandardCharsets.UTF_8);
    }
}
