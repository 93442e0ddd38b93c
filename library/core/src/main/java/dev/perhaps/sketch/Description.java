package dev.perhaps.sketch;

import dev.perhaps.io.Figures;
import java.util.ArrayList;
import java.util.List;

/**
 * A description of a structure: an ordered list of facts, each with a stable name for programs, a value, and a text
 * with its unit for people. {@code toString()} has one fact per line.
 */
public record Description(Kind kind, List<Fact> facts) {
    /** One fact; {@code value} is a {@code String}, {@code Long}, {@code Double} or {@code Boolean}. */
    public record Fact(String name, Object value, String text) {
        /** Returns the name in words: "error now" for {@code errorNow}. */
        public String label() {
            StringBuilder label = new StringBuilder(name.length() + 4);
            for (int i = 0; i < name.length(); i++) {
                char c = name.charAt(i);
                if (Character.isUpperCase(c)) {
                    label.append(' ').append(Character.toLowerCase(c));
                } else {
                    label.append(c);
                }
            }
            return label.toString();
        }
    }

    public Description {
        facts = List.copyOf(facts);
    }

    /** Returns a description without facts. */
    public static Description of(Kind kind) {
        return new Description(kind, List.of());
    }

    /** Returns this description with one more fact: a text. */
    public Description text(String name, String value) {
        return with(new Fact(name, value, value));
    }

    /** Returns this description with one more fact: true or false, shown as "yes" or "no". */
    public Description flag(String name, boolean value) {
        return with(new Fact(name, value, value ? "yes" : "no"));
    }

    /** Returns this description with one more fact: an exact number, shown with thousands separators. */
    public Description count(String name, long value) {
        return with(new Fact(name, value, Figures.count(value)));
    }

    /** Returns this description with one more fact: a number that is exact, or an estimate, which is shown with "≈". */
    public Description count(String name, long value, boolean estimated) {
        return with(new Fact(name, value, (estimated ? "≈ " : "") + Figures.count(value)));
    }

    /** Returns this description with one more fact: a size in bytes, shown in KiB, MiB and so on. */
    public Description bytes(String name, long value) {
        return with(new Fact(name, value, Figures.bytes(value)));
    }

    /** Returns this description with one more fact: a share in [0, 1], shown in percent. */
    public Description share(String name, double value) {
        return with(new Fact(name, value, Figures.percent(value)));
    }

    /** Returns this description with one more fact: a number, shown with its unit; an empty unit is left out. */
    public Description number(String name, double value, String unit) {
        return with(new Fact(name, value, Figures.significant(value) + (unit.isEmpty() ? "" : " " + unit)));
    }

    private Description with(Fact fact) {
        List<Fact> more = new ArrayList<>(facts);
        more.add(fact);
        return new Description(kind, more);
    }

    @Override
    public String toString() {
        int width = "kind".length();
        for (Fact fact : facts) {
            width = Math.max(width, fact.label().length());
        }
        StringBuilder text = new StringBuilder();
        line(text, width, "kind", kind.word());
        for (Fact fact : facts) {
            line(text, width, fact.label(), fact.text());
        }
        return text.toString();
    }

    private static void line(StringBuilder text, int width, String label, String value) {
        text.append(label)
                .append(" ".repeat(width - label.length() + 2))
                .append(value)
                .append('\n');
    }
}
