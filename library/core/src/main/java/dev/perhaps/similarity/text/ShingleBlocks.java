package dev.perhaps.similarity.text;

/**
 * The shingles of code points in UTF-8, block by block, in memory that does not grow with the text. Not thread-safe.
 */
public final class ShingleBlocks {
    /*
     * A block of BLOCK shingles of n letters has BLOCK + n − 1 letters; the next one begins BLOCK letters on. Where all
     * of them are ASCII, as in nearly all blocks of most texts, they are rolled from the bytes as they are. Others are
     * decoded first. Where bytes are malformed, what is left is repaired and cut on: shingles before that place are
     * what they were.
     */
    private static final int BLOCK = 1 << 10;

    private final RollingHash rolling;
    private final Letters letters;
    private final int block;
    private final int mostLetters;
    /** The letters of a block that is not plain, and then its hashes. */
    private long[] words = new long[0];

    private byte[] utf8 = new byte[0];
    private int to;
    private int next;
    private boolean isEnded = true;

    private int at;
    private int shingles;
    private boolean isPlain;

    public ShingleBlocks(RollingHash rolling, Letters letters) {
        this.rolling = rolling;
        this.letters = letters;
        this.block = Math.max(BLOCK, rolling.size());
        this.mostLetters = block + rolling.size() - 1;
    }

    public void start(byte[] text, int from, int end) {
        utf8 = text;
        next = from;
        to = end;
        isEnded = false;
    }

    /** Moves on to the next block; false behind the last. A text has one shingle at least, if need be its whole. */
    public boolean next() {
        if (isEnded) {
            return false;
        }
        at = next;
        int end = (int) Math.min(to, at + (long) mostLetters);
        isPlain = end - at >= rolling.size() && Utf8.isAscii(utf8, at, end);
        if (isPlain) {
            shingles = end - at - rolling.size() + 1;
            next = at + shingles;
            isEnded = end == to;
        } else {
            decode();
        }
        return true;
    }

    private void decode() {
        int room = Math.max(1, Math.min(mostLetters, to - at));
        words = words.length < room ? new long[room] : words;
        int place = at;
        int count = 0;
        while (place < to && count < mostLetters) {
            int codePoint = utf8[place] >= 0 ? utf8[place] : Utf8.decode(utf8, place, to);
            if (codePoint == Utf8.MALFORMED) {
                byte[] rest = Utf8.repaired(utf8, at, to);
                start(rest, 0, rest.length);
                at = 0;
                place = 0;
                count = 0;
                continue;
            }
            words[count++] = letters.word(codePoint);
            place += Utf8.bytes(codePoint);
            next = count == block ? place : next;
        }
        isEnded = place == to;
        shingles = rolling.roll(words, count);
    }

    /** Writes the hashes of the block, {@link #shingles} of them. */
    public void hashes(long[] into, int from) {
        if (isPlain) {
            rolling.roll(utf8, at, shingles, letters, into, from);
        } else {
            System.arraycopy(words, 0, into, from, shingles);
        }
    }

    /** The most shingles that a block has. */
    public int most() {
        return block;
    }

    public int shingles() {
        return shingles;
    }

    /** True if the shingles are those of ASCII letters, the first at {@link #at} in {@link #bytes}. */
    public boolean isPlain() {
        return isPlain;
    }

    public byte[] bytes() {
        return utf8;
    }

    public int at() {
        return at;
    }
}
