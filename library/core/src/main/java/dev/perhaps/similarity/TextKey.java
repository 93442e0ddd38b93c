package dev.perhaps.similarity;

import dev.perhaps.key.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The key of shingles: {@code shingles:10}, {@code word-shingles:3+nfc+case}. */
record TextKey(Shingles shingles) implements Key<CharSequence> {
    /** How the names of keys begin whose shingles are of code points; the size follows. */
    static final String CODE_POINTS = "shingles:";
    /** How the names of keys begin whose shingles are of words; the size follows. */
    static final String WORDS = "word-shingles:";

    private static final Pattern NAME =
            Pattern.compile("(word-)?shingles:([1-9][0-9]{0,4})((?:\\+[a-z0-9]+)*)(?: of .*)?");

    static Shingles parse(String name) {
        Matcher matcher = NAME.matcher(name);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("no name of shingles, such as shingles:10: '" + name + "'");
        }
        int size = Integer.parseInt(matcher.group(2));
        Shingles plain = matcher.group(1) == null ? Shingles.codePoints(size) : Shingles.words(size);
        List<Shingles.Form> forms = new ArrayList<>();
        for (String word : matcher.group(3).split("\\+", -1)) {
            if (!word.isEmpty()) {
                forms.add(form(word));
            }
        }
        return forms.isEmpty() ? plain : plain.normalised(forms.toArray(Shingles.Form[]::new));
    }

    private static Shingles.Form form(String word) {
        for (Shingles.Form form : Shingles.Form.values()) {
            if (form.word().equals(word)) {
                return form;
            }
        }
        throw new IllegalArgumentException("no form of a text: '" + word + "'");
    }

    @Override
    public long hash(CharSequence text) {
        return shingles.wholeHash(text);
    }

    @Override
    public String name() {
        return shingles.name();
    }

    @Override
    public long seed() {
        return shingles.seed();
    }

    @Override
    public Key<CharSequence> seeded(long seed) {
        return shingles.seeded(seed).key();
    }

    @Override
    public String toString() {
        return name();
    }
}
