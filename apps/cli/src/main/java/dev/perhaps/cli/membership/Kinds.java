package dev.perhaps.cli.membership;

import dev.perhaps.Perhaps;
import dev.perhaps.cli.console.UserWords;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.sketch.Kind;
import java.util.Iterator;
import java.util.List;

/** The words for the kinds of filter that there are. */
final class Kinds implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return words().iterator();
    }

    private static List<String> words() {
        return Perhaps.filterKinds().stream().map(Kind::word).toList();
    }

    static Kind named(String word) {
        for (Kind kind : Perhaps.filterKinds()) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        String guess = UserWords.guess(word, words());
        throw new BadInput("there is no kind of filter '" + word + "'" + guess + (guess.isEmpty() ? ": use" : " Use")
                + " one of " + String.join(", ", words()));
    }
}
