package dev.perhaps.server.command;

import dev.perhaps.server.wire.ReplyWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** The syntax of a command as Redis documents it: {@code key [CAPACITY capacity] [NOCREATE] ITEMS item [item ...]}. */
final class Syntax {
    /** A word, a group in brackets, or what may be repeated. */
    private record Part(String word, List<Part> inner, boolean isOptional, boolean isRepeated) {}

    private Syntax() {}

    static int arity(String syntax) {
        int words = 1;
        boolean isOpen = false;
        int depth = 0;
        for (String word : syntax.replace("[", " [ ").replace("]", " ] ").trim().split("\\s+", -1)) {
            switch (word) {
                case "" -> {}
                case "[" -> depth++;
                case "]" -> depth--;
                default -> words += depth == 0 ? 1 : 0;
            }
            isOpen |= word.equals("[");
        }
        return isOpen ? -words : words;
    }

    /** Writes the arguments as {@code COMMAND DOCS} has them. */
    static void describe(String syntax, ReplyWriter out) {
        List<String> words = new ArrayList<>();
        for (String word : syntax.replace("[", " [ ").replace("]", " ] ").trim().split("\\s+", -1)) {
            if (!word.isEmpty()) {
                words.add(word);
            }
        }
        List<Part> parts = parts(words, new int[1]);
        out.array(parts.size());
        parts.forEach(part -> describe(part, out));
    }

    private static List<Part> parts(List<String> words, int[] at) {
        List<Part> parts = new ArrayList<>();
        while (at[0] < words.size() && !words.get(at[0]).equals("]")) {
            String word = words.get(at[0]++);
            if (!word.equals("[")) {
                parts.add(new Part(word, List.of(), false, false));
                continue;
            }
            List<Part> inner = parts(words, at);
            at[0]++;
            int repeated = inner.size() - 1;
            boolean isRepetition = inner.get(repeated).word.equals("...");
            if (isRepetition && !endsWith(parts, inner.subList(0, repeated))) {
                parts.add(
                        repeated == 1
                                ? new Part(inner.get(0).word, List.of(), true, true)
                                : new Part("data", inner.subList(0, repeated), true, true));
            } else if (isRepetition) {
                // The words before the bracket are those that it repeats.
                List<Part> group = new ArrayList<>(parts.subList(parts.size() - repeated, parts.size()));
                parts.subList(parts.size() - repeated, parts.size()).clear();
                parts.add(
                        repeated == 1
                                ? new Part(group.get(0).word, List.of(), false, true)
                                : new Part("data", group, false, true));
            } else if (inner.size() == 1) {
                parts.add(new Part(inner.get(0).word, inner.get(0).inner, true, inner.get(0).isRepeated));
            } else {
                parts.add(new Part("options", inner, true, false));
            }
        }
        return parts;
    }

    private static boolean endsWith(List<Part> parts, List<Part> last) {
        int before = parts.size() - last.size();
        return before >= 0
                && IntStream.range(0, last.size())
                        .allMatch(i -> parts.get(before + i).word.equals(last.get(i).word));
    }

    private static void describe(Part part, ReplyWriter out) {
        boolean isToken = part.inner.isEmpty() && part.word.equals(part.word.toUpperCase(Locale.ROOT));
        String type =
                !part.inner.isEmpty() ? "block" : isToken ? "pure-token" : isKey(part.word) ? "key" : type(part.word);
        boolean hasFlags = part.isOptional || part.isRepeated;
        out.map(2 + (isToken ? 1 : 0) + (hasFlags ? 1 : 0) + (part.inner.isEmpty() ? 0 : 1));
        out.bulk("name");
        out.bulk(part.word.toLowerCase(Locale.ROOT));
        out.bulk("type");
        out.bulk(type);
        if (isToken) {
            out.bulk("token");
            out.bulk(part.word);
        }
        if (hasFlags) {
            out.bulk("flags");
            out.array((part.isOptional ? 1 : 0) + (part.isRepeated ? 1 : 0));
            if (part.isOptional) {
                out.simple("optional");
            }
            if (part.isRepeated) {
                out.simple("multiple");
            }
        }
        if (!part.inner.isEmpty()) {
            out.bulk("arguments");
            out.array(part.inner.size());
            part.inner.forEach(inner -> describe(inner, out));
        }
    }

    private static boolean isKey(String word) {
        return word.contains("key") && !word.equals("numkeys") || word.equals("source") || word.equals("destination");
    }

    private static String type(String word) {
        return switch (word) {
            case "capacity",
                    "expansion",
                    "iterator",
                    "count",
                    "width",
                    "depth",
                    "increment",
                    "k",
                    "seconds",
                    "milliseconds",
                    "cursor",
                    "numkeys",
                    "compression",
                    "rank",
                    "reverse_rank",
                    "bucketsize",
                    "maxiterations" -> "integer";
            case "error_rate",
                    "error",
                    "probability",
                    "decay",
                    "number",
                    "quantile",
                    "low_cut_quantile",
                    "high_cut_quantile" -> "double";
            case "pattern" -> "pattern";
            default -> "string";
        };
    }
}
