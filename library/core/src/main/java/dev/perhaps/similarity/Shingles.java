package dev.perhaps.similarity;

import dev.perhaps.key.Key;
import dev.perhaps.similarity.text.Letters;
import dev.perhaps.similarity.text.RollingHash;
import dev.perhaps.similarity.text.ShingleBlocks;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Computes the hashes of all shingles of a text, which are all runs of a given number of code points or words;
 * documents are compared by them. Takes a few nanoseconds per character and allocates nothing per shingle; a text has
 * the same hashes as its UTF-8 bytes. Two different shingles have the same hash with probability 2^−56 or less.
 * Immutable and thread-safe.
 *
 * <p>A text shorter than one shingle has one hash, of the whole text: it matches only exact duplicates.
 *
 * <pre>{@code
 * Shingles shingles = Shingles.codePoints(10).normalised(Shingles.Form.NFC, Shingles.Form.SINGLE_SPACES);
 * long[] hashes = shingles.hashes("It was the best of times, it was the worst of times");
 * Signature signature = MinHash.of(128).of(shingles.key()).sign(hashes, 0, hashes.length);
 * }</pre>
 */
public final class Shingles {
    /*
     *     text  →  a random word for each code point, or for each word of the text (Letters)  →  RollingHash
     *
     * Words are what stands between white space. UTF-8 is cut into blocks (ShingleBlocks), strings and words are hashed
     * whole.
     *
     * Code points, because bytes and chars cut letters at the edge of a shingle. What is no Unicode becomes what the
     * JDK makes of it: malformed bytes U+FFFD, a lone surrogate '?'. The bytes of a string and the string agree.
     *
     * Left out: skipping white space or mark-up unasked. What is compared is what is there, or what Form says.
     */
    /** The number of code points per shingle of {@link #codePoints()}. */
    public static final int DEFAULT_SIZE = 10;

    private static final int MAX_SIZE = 1 << 16;

    private final int size;
    private final boolean words;
    private final Set<Form> forms;
    private final long seed;
    private final RollingHash rolling;
    private final Letters letters;
    private final TextKey key;

    private Shingles(int size, boolean words, Set<Form> forms, long seed) {
        if (size < 1 || size > MAX_SIZE) {
            throw new IllegalArgumentException("the size of a shingle must be in [1, " + MAX_SIZE + "], got " + size);
        }
        this.size = size;
        this.words = words;
        this.forms = forms;
        this.seed = seed;
        this.rolling = new RollingHash(size);
        this.letters = new Letters(seed, rolling);
        this.key = new TextKey(this);
    }

    /** Returns the approximate number of bytes of text per shingle: those of a letter, or of an English word. */
    public double bytesPerShingle() {
        return words ? 6 : 1;
    }

    /** Returns shingles of 10 code points. */
    public static Shingles codePoints() {
        return codePoints(DEFAULT_SIZE);
    }

    /** Returns shingles of this number of Unicode code points. */
    public static Shingles codePoints(int size) {
        return new Shingles(size, false, Set.of(), Key.DEFAULT_SEED);
    }

    /** Returns shingles of this number of words; words are separated by white space and include punctuation. */
    public static Shingles words(int size) {
        return new Shingles(size, true, Set.of(), Key.DEFAULT_SEED);
    }

    /** Returns shingles that convert texts to these forms first; without forms, to all of them. */
    public Shingles normalised(Form... wanted) {
        EnumSet<Form> set = EnumSet.noneOf(Form.class);
        set.addAll(Arrays.asList(wanted));
        return new Shingles(size, words, set.isEmpty() ? EnumSet.allOf(Form.class) : set, seed);
    }

    /** Returns the same shingles with another seed, which gives other hashes. */
    public Shingles seeded(long otherSeed) {
        return new Shingles(size, words, forms, otherSeed);
    }

    /** Returns the number of code points or words per shingle. */
    public int size() {
        return size;
    }

    /** Returns the seed of the hashes. */
    public long seed() {
        return seed;
    }

    /** Returns the text converted to the forms of these shingles. */
    public String normalise(CharSequence text) {
        return Form.apply(forms, text.toString());
    }

    /** Returns the same shingles for texts that are already converted. */
    public Shingles plain() {
        return isNormalising() ? new Shingles(size, words, Set.of(), seed) : this;
    }

    /** True if a shingle is made of words, false if it is made of code points. */
    public boolean isOfWords() {
        return words;
    }

    /** Returns true if texts are brought into some {@link Form} before they are cut into shingles. */
    public boolean isNormalising() {
        return !forms.isEmpty();
    }

    /**
     * Returns the key of these shingles. Its name has size, unit and forms, so that signatures of other shingles are
     * refused. It hashes a text of exactly one shingle as that shingle, and any other text as a whole.
     */
    public Key<CharSequence> key() {
        return key;
    }

    /** Returns the shingles with this name of a key. */
    public static Shingles named(String name, long seed) {
        return TextKey.parse(name).seeded(seed);
    }

    /** The shingles that a key is of: one that {@link #key} returned, or that was opened by its name. */
    public static Optional<Shingles> of(Key<?> key) {
        String name = key.name();
        return name.startsWith(TextKey.CODE_POINTS) || name.startsWith(TextKey.WORDS)
                ? Optional.of(named(name, key.seed()))
                : Optional.empty();
    }

    String name() {
        StringBuilder name = new StringBuilder(words ? TextKey.WORDS : TextKey.CODE_POINTS).append(size);
        for (Form form : Form.values()) {
            if (forms.contains(form)) {
                name.append('+').append(form.word());
            }
        }
        return name.toString();
    }

    /** Returns the hashes of all shingles in the order of the text, including repeated ones. */
    public long[] hashes(CharSequence text) {
        String formed = normalise(text);
        long[] into = new long[Math.max(1, formed.length())];
        return Arrays.copyOf(into, formedHashes(formed, into));
    }

    /**
     * Writes the hashes into an array with at least one element, and one per char of the normalised text, and returns
     * their number. Elements after them are overwritten too.
     */
    public int hashes(CharSequence text, long[] into) {
        return formedHashes(normalise(text), into);
    }

    /**
     * Writes the hashes of UTF-8 bytes into an array with at least one element, and one per byte, and returns their
     * number.
     */
    public int hashes(byte[] utf8, int from, int to, long[] into) {
        Objects.checkFromToIndex(from, to, utf8.length);
        if (!isCutInBlocks()) {
            return hashes(new String(utf8, from, to - from, StandardCharsets.UTF_8), into);
        }
        checkRoom(to - from, into);
        ShingleBlocks blocks = blocks();
        blocks.start(utf8, from, to);
        int count = 0;
        while (blocks.next()) {
            blocks.hashes(into, count);
            count += blocks.shingles();
        }
        return count;
    }

    /** True if UTF-8 need not become a string first. */
    boolean isCutInBlocks() {
        return !words && !isNormalising();
    }

    RollingHash rolling() {
        return rolling;
    }

    Letters letters() {
        return letters;
    }

    ShingleBlocks blocks() {
        return new ShingleBlocks(rolling, letters);
    }

    /** Returns a signer that signs texts by these shingles in one pass, with a family that has their {@link #key}. */
    public TextSigner signer(MinHash<CharSequence> family) {
        if (!family.key().fits(key)) {
            throw new IllegalArgumentException("the family must have the key of these shingles: "
                    + family.key().against(key));
        }
        return new TextSigner(this, family);
    }

    private int formedHashes(String text, long[] into) {
        checkRoom(text.length(), into);
        return rolling.roll(into, wordsOf(text, into));
    }

    private int wordsOf(String text, long[] into) {
        return words ? letters.wordsOfWords(text, into) : letters.words(text, into);
    }

    /** The hash of a text taken as one: its shingle, if it is exactly that long. */
    long wholeHash(CharSequence text) {
        String formed = normalise(text);
        long[] into = new long[Math.max(1, formed.length())];
        int count = wordsOf(formed, into);
        return count == size ? hashOfOne(into, count) : RollingHash.whole(into, count);
    }

    private long hashOfOne(long[] values, int count) {
        rolling.roll(values, count);
        return values[0];
    }

    private static void checkRoom(int length, long[] into) {
        if (into.length < Math.max(1, length)) {
            throw new IllegalArgumentException(
                    "into must have " + Math.max(1, length) + " places for this text, got " + into.length);
        }
    }

    @Override
    public String toString() {
        return name();
    }

    /** A normalisation of a text before it is cut into shingles. */
    public enum Form {
        /** Unicode's composed form (NFC): ü becomes one code point. */
        NFC("nfc"),
        /** Case folding: to upper case and back to lower case, independent of the locale; ß becomes ss. */
        FOLDED_CASE("case"),
        /** Each run of Unicode white space becomes one space; none remains at either end. */
        SINGLE_SPACES("spaces");

        private final String word;

        Form(String word) {
            this.word = word;
        }

        /** Returns the word that key names and the command line use. */
        public String word() {
            return word;
        }

        static String apply(Set<Form> forms, String text) {
            String formed = text;
            if (forms.contains(NFC)) {
                formed = Normalizer.normalize(formed, Normalizer.Form.NFC);
            }
            if (forms.contains(FOLDED_CASE)) {
                formed = formed.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
                // Folding can take a composed letter apart.
                formed = forms.contains(NFC) ? Normalizer.normalize(formed, Normalizer.Form.NFC) : formed;
            }
            return forms.contains(SINGLE_SPACES) ? singleSpaces(formed) : formed;
        }

        // Every white space of Unicode is one char.
        private static String singleSpaces(String text) {
            StringBuilder single = new StringBuilder(text.length());
            boolean pending = false;
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (Letters.isSpace(c)) {
                    pending = !single.isEmpty();
                } else {
                    if (pending) {
                        single.append(' ');
                        pending = false;
                    }
                    single.append(c);
                }
            }
            return single.toString();
        }
    }
}
