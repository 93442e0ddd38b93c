package dev.perhaps.membership.bloom;

import java.util.Arrays;

/**
 * The cells of an expiring Bloom filter and the generations that they hold: which cells an item sets at a time, and
 * which of them are live at a time. {@code ExpiringBloom} explains why it never misses an item of the window, and its
 * error.
 */
public final class GenerationCells {
    /*
     * Generation g is the time [g·W/12, (g+1)·W/12) since 1970, W being the window. Each cell has 4 bits and holds the
     * number of the generation in which it was set last, or 0; 16 cells are in a word, the first in its lowest bits. A
     * table maps each of the numbers 1 to 15 to a generation.
     *
     *     number        0     1     2     3    ...   14    15
     *     generation    –    g−1    g    g−14  ...  g−3   g−2     13 are live: g−12 to g; 2 expired, not yet reused
     *
     *     cells   | 0 | 2 | 0 | 1 | 15 | 0 | 3 | 2 |             k = 2: x was added in g, y in g−2, z in g−14;
     *                   x           y          z   xy             y met x in the last cell, and x is newer
     *
     * The cells of each number are counted as they change, so that the number of live cells takes 15 additions.
     *
     * Rotation. The first add of a new generation needs a number. If none is unused, the oldest generation gives up its
     * own, which must have expired at the time of that add: one pass over the cells sets them to 0. Lookups never
     * rotate.
     *
     * Clocks that are wrong. An add with an earlier time than others is put into its own generation, and expires when
     * that does. If the clock jumps ahead and back again, what was live stays live unless adds in more than two
     * generations of the wrong time took numbers from it. If it is set back, what was added before counts as just added
     * until its time has come again. If then no number is free and no generation has expired at the time of the add,
     * all generations a window ahead or more become one, which is a window ahead: so the filter gets rid of them after
     * two windows, and has numbers again. If no two are, the item joins the next later generation, where it stays
     * longer than the window, not shorter. So an item can be missed within its window only if an add since then was
     * given a time more than a window before or after the item's.
     */
    /** The number of generations per window. */
    public static final int PER_WINDOW = 12;

    /** The largest time, in milliseconds since 1970; the smallest is its negative. */
    public static final long MAX_MILLIS = 1L << 53;

    public static final long MAX_CELLS = (Integer.MAX_VALUE - 8) * 16L;

    /** In the table: no generation has this number. */
    public static final long UNUSED = Long.MIN_VALUE;

    /** The numbers of generations are 1 to this. */
    public static final int MAX_NUMBER = 15;

    private static final int NUMBERS = MAX_NUMBER + 1;
    private static final long LOWEST_OF_EACH = 0x1111111111111111L;

    /** Above what any time gives: twelve generations per millisecond, and a window ahead. */
    private static final long MAX_GENERATION = MAX_MILLIS * 2 * PER_WINDOW;

    private final long cells;
    private final int hashes;
    private final long windowMillis;
    private final long[] words;

    /** The generation of each number; that of 0 is always unused. */
    private final long[] generations;

    /** How many cells hold each number. */
    private final long[] inUse;

    // The generation of the last add, [fromMillis, toMillis): its number, and as bits the numbers of those that were
    // live at that time and of those that are older.
    private long fromMillis = 1;
    private long toMillis;
    private int number;
    private int live;
    private int older;

    private GenerationCells(long cells, int hashes, long windowMillis, long[] words, long[] generations, long[] inUse) {
        assert words.length == wordsFor(cells);
        this.cells = cells;
        this.hashes = hashes;
        this.windowMillis = windowMillis;
        this.words = words;
        this.generations = generations;
        this.inUse = inUse;
    }

    /** Cells of which none was ever set. */
    public static GenerationCells empty(long cells, int hashes, long windowMillis) {
        long[] generations = new long[NUMBERS];
        Arrays.fill(generations, UNUSED);
        long[] inUse = new long[NUMBERS];
        inUse[0] = cells;
        return new GenerationCells(cells, hashes, windowMillis, new long[wordsFor(cells)], generations, inUse);
    }

    /** Cells as {@link #table} and {@link #words} gave them; whether they can be is for the caller to check. */
    public static GenerationCells of(long cells, int hashes, long windowMillis, long[] table, long[] words) {
        long[] generations = new long[NUMBERS];
        generations[0] = UNUSED;
        System.arraycopy(table, 0, generations, 1, MAX_NUMBER);
        return new GenerationCells(cells, hashes, windowMillis, words, generations, counted(words, cells));
    }

    public GenerationCells copy() {
        return new GenerationCells(cells, hashes, windowMillis, words.clone(), generations.clone(), inUse.clone());
    }

    /** The number of cells. */
    public long cells() {
        return cells;
    }

    /** The number of cells per item. */
    public int hashes() {
        return hashes;
    }

    public long windowMillis() {
        return windowMillis;
    }

    /** All cells; not a copy. */
    public long[] words() {
        return words;
    }

    /** The generations of the numbers 1 to 15. */
    public long[] table() {
        return Arrays.copyOfRange(generations, 1, NUMBERS);
    }

    /** How many cells hold this number. */
    public long inUse(int ofNumber) {
        return inUse[ofNumber];
    }

    /** True if a time that may be given, or a window after it, is in this generation. */
    public static boolean isGeneration(long generation) {
        return generation >= -MAX_GENERATION && generation <= MAX_GENERATION;
    }

    /** Adds the item of this mixed hash at this time; true if it was perhaps live. */
    public boolean add(long x, long atMillis) {
        if (atMillis < fromMillis || atMillis >= toMillis) {
            turnTo(atMillis);
        }
        return set(words, cells, hashes, x, number, older, live, inUse);
    }

    /** True if all cells of this mixed hash hold one of these numbers, which are those of {@link #liveAt}. */
    public boolean isLive(long x, int liveNow) {
        return allLive(words, cells, hashes, x, liveNow);
    }

    /** Writes a number into the cells of x that hold an older one; true if all of them were live before. */
    private static boolean set(
            long[] words, long cells, int hashes, long x, int number, int older, int live, long[] inUse) {
        int allLive = 1;
        for (int i = 0; i < hashes; i++) {
            long position = BloomKernel.position(x, cells);
            int at = (int) (position >>> 4);
            long word = words[at];
            int before = (int) (word >>> (position << 2)) & MAX_NUMBER;
            allLive &= live >>> before;
            if ((older >>> before & 1) != 0) {
                words[at] = word ^ (long) (before ^ number) << (position << 2);
                inUse[before]--;
                inUse[number]++;
            }
            x *= BloomKernel.STEP;
        }
        return allLive != 0;
    }

    /** Two positions per step, as {@link BloomKernel#allSet}. */
    private static boolean allLive(long[] words, long cells, int hashes, long x, int live) {
        int i = 1;
        for (; i < hashes; i += 2) {
            long first = BloomKernel.position(x, cells);
            long second = BloomKernel.position(x * BloomKernel.STEP, cells);
            int one = (int) (words[(int) (first >>> 4)] >>> (first << 2)) & MAX_NUMBER;
            int two = (int) (words[(int) (second >>> 4)] >>> (second << 2)) & MAX_NUMBER;
            if ((live >>> one & live >>> two & 1) == 0) {
                return false;
            }
            x *= BloomKernel.TWO_STEPS;
        }
        if (i > hashes) {
            return true;
        }
        long last = BloomKernel.position(x, cells);
        return (live >>> ((int) (words[(int) (last >>> 4)] >>> (last << 2)) & MAX_NUMBER) & 1) != 0;
    }

    /** As bits, the numbers of the generations that are live at this time. */
    public int liveAt(long atMillis) {
        return atMillis >= fromMillis && atMillis < toMillis ? live : liveIn(generationAt(atMillis));
    }

    private int liveIn(long generation) {
        int bits = 0;
        for (int i = 1; i < NUMBERS; i++) {
            bits |= (generations[i] >= generation - PER_WINDOW ? 1 : 0) << i;
        }
        return bits;
    }

    private long generationAt(long atMillis) {
        if (atMillis > MAX_MILLIS || atMillis < -MAX_MILLIS) {
            throw new IllegalArgumentException("a time must be in milliseconds since 1970, at most " + MAX_MILLIS
                    + " before or after, got " + atMillis);
        }
        return Math.floorDiv(atMillis * PER_WINDOW, windowMillis);
    }

    /** Makes the generation of this time the one that is added to. */
    private void turnTo(long atMillis) {
        long generation = generationAt(atMillis);
        number = numberFor(generation);
        live = liveIn(generation);
        older = 1;
        for (int i = 1; i < NUMBERS; i++) {
            older |= (generations[i] < generations[number] ? 1 : 0) << i;
        }
        // The first milliseconds at or after the generation's borders.
        fromMillis = -Math.floorDiv(-generation * windowMillis, PER_WINDOW);
        toMillis = -Math.floorDiv(-(generation + 1) * windowMillis, PER_WINDOW);
        assert atMillis >= fromMillis && atMillis < toMillis;
    }

    private int numberFor(long generation) {
        int unused = 0;
        int oldest = 1;
        for (int i = 1; i < NUMBERS; i++) {
            if (generations[i] == generation) {
                return i;
            }
            unused = generations[i] == UNUSED ? i : unused;
            oldest = generations[i] < generations[oldest] ? i : oldest;
        }
        if (unused == 0) {
            unused = generations[oldest] < generation - PER_WINDOW
                    ? renumber(oldest, 0)
                    : joinFarAhead(generation + PER_WINDOW);
        }
        if (unused == 0) {
            return nextAfter(generation);
        }
        generations[unused] = generation;
        return unused;
    }

    /** Makes one generation of all that are this late or later, and returns a number that this gave free, or 0. */
    private int joinFarAhead(long latest) {
        int joined = 0;
        int free = 0;
        for (int i = 1; i < NUMBERS; i++) {
            if (generations[i] >= latest) {
                if (joined == 0) {
                    joined = i;
                    generations[i] = latest;
                } else {
                    free = renumber(i, joined);
                }
            }
        }
        return free;
    }

    /** The next later generation. No number is left, and at most 12 of the 15 are live and earlier: so there is one. */
    private int nextAfter(long generation) {
        int next = 0;
        for (int i = 1; i < NUMBERS; i++) {
            if (generations[i] > generation && (next == 0 || generations[i] < generations[next])) {
                next = i;
            }
        }
        assert next > 0;
        return next;
    }

    /** Writes {@code to} into all cells that hold {@code from}, which then stands for no generation; returns it. */
    private int renumber(int from, int to) {
        replace(words, from, to);
        inUse[to] += inUse[from];
        inUse[from] = 0;
        generations[from] = UNUSED;
        return from;
    }

    private static void replace(long[] words, int from, int to) {
        long everywhere = from * LOWEST_OF_EACH;
        for (int i = 0; i < words.length; i++) {
            long different = words[i] ^ everywhere;
            different |= different >>> 1;
            different |= different >>> 2;
            words[i] ^= (~different & LOWEST_OF_EACH) * (from ^ to);
        }
    }

    /**
     * Takes over the cells of another one with as many cells, hashes and milliseconds: where both are set, the newer.
     */
    public void merge(GenerationCells other) {
        long[] union = Arrays.stream(new long[][] {generations, other.generations})
                .flatMapToLong(Arrays::stream)
                .filter(generation -> generation != UNUSED)
                .distinct()
                .sorted()
                .toArray();
        long[] kept = Arrays.copyOfRange(union, Math.max(0, union.length - MAX_NUMBER), union.length);
        // Numbered from the oldest to the newest: of two cells, the higher number is the newer one.
        int[] ours = numbersIn(kept, generations);
        int[] theirs = numbersIn(kept, other.generations);
        for (int i = 0; i < words.length; i++) {
            words[i] = newer(words[i], other.words[i], ours, theirs);
        }
        Arrays.fill(generations, UNUSED);
        System.arraycopy(kept, 0, generations, 1, kept.length);
        System.arraycopy(counted(words, cells), 0, inUse, 0, NUMBERS);
        fromMillis = 1;
        toMillis = 0;
    }

    /** For each number its place among the sorted generations, from 1; 0 if it is not among them. */
    private static int[] numbersIn(long[] sorted, long[] generations) {
        int[] numbers = new int[NUMBERS];
        for (int i = 1; i < NUMBERS; i++) {
            numbers[i] = Math.max(0, Arrays.binarySearch(sorted, generations[i]) + 1);
        }
        return numbers;
    }

    private static long newer(long one, long two, int[] ours, int[] theirs) {
        long newer = 0;
        for (int shift = 0; shift < Long.SIZE && (one | two) >>> shift != 0; shift += 4) {
            int a = ours[(int) (one >>> shift) & MAX_NUMBER];
            int b = theirs[(int) (two >>> shift) & MAX_NUMBER];
            newer |= (long) Math.max(a, b) << shift;
        }
        return newer;
    }

    /** The number of cells that are live at this time. */
    public long liveCells(long atMillis) {
        int liveNow = liveAt(atMillis);
        long sum = 0;
        for (int i = 1; i < NUMBERS; i++) {
            sum += (liveNow >>> i & 1) * inUse[i];
        }
        return sum;
    }

    /** The latest generation, or {@link #UNUSED}. */
    public long newest() {
        return Arrays.stream(generations).max().orElse(UNUSED);
    }

    /** Clears all cells. */
    public void clear() {
        Arrays.fill(words, 0);
        Arrays.fill(generations, UNUSED);
        Arrays.fill(inUse, 0);
        inUse[0] = cells;
        fromMillis = 1;
        toMillis = 0;
    }

    /** How many cells hold each number. */
    private static long[] counted(long[] words, long cells) {
        long[] inUse = new long[NUMBERS];
        long set = 0;
        for (long word : words) {
            for (long left = word; left != 0; left >>>= 4) {
                inUse[(int) left & MAX_NUMBER]++;
            }
        }
        for (int i = 1; i < NUMBERS; i++) {
            set += inUse[i];
        }
        inUse[0] = cells - set;
        return inUse;
    }

    public static int wordsFor(long cells) {
        return (int) ((cells + 15) >>> 4);
    }
}
