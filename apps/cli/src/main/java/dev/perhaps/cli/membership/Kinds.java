package dev.perhaps.cli.membership;

import dev.perhaps.Perhaps;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.sketch.Kind;
import java.util.Iterator;
import java.util.stream.Collectors;

/** The words for the kinds of filter that there are. */
final class Kinds implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return Perhaps.filterKinds().stream().map(Kind::word).iterator();
    }

    static Kind named(String word) {
        for (Kind kind : Perhaps.filterKinds()) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        String all = Perhaps.filterKinds().stream().map(Kind::word).collect(Collectors.joining(", "));
        throw new BadInput("there is no kind of filter '" + word + "': use one of " + all);
    }
}
