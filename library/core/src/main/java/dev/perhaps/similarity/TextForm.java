package dev.perhaps.similarity;

import dev.perhaps.similarity.text.Letters;
import java.text.Normalizer;
import java.util.Locale;
import java.util.Set;

/** A normalisation of a text before it is cut into shingles. */
public enum TextForm {
    /** Unicode's composed form (NFC): ü becomes one code point. */
    NFC("nfc"),
    /** Case folding: to upper case and back to lower case, independent of the locale; ß becomes ss. */
    FOLDED_CASE("case"),
    /** Each run of Unicode white space becomes one space; none remains at either end. */
    SINGLE_SPACES("spaces");

    private final String word;

    TextForm(String word) {
        this.word = word;
    }

    /** Returns the word that key names and the command line use. */
    public String word() {
        return word;
    }

    static String apply(Set<TextForm> forms, String text) {
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
