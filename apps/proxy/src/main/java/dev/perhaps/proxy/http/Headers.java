package dev.perhaps.proxy.http;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The fields of a message's header, in their order, as received. Names are compared without case. Immutable. */
public final class Headers {
    public static final Headers NONE = new Headers(new String[0]);

    /** Names and values in turn. */
    private final String[] lines;

    private Headers(String[] lines) {
        this.lines = lines;
    }

    /** Of names and values in turn. */
    public static Headers of(String... lines) {
        if (lines.length % 2 != 0) {
            throw new IllegalArgumentException("names and values come in turn, got " + lines.length + " of them");
        }
        return new Headers(lines.clone());
    }

    public int size() {
        return lines.length / 2;
    }

    /** The value of the first field of this name. */
    public @Nullable String first(String name) {
        for (int i = 0; i < lines.length; i += 2) {
            if (same(lines[i], name)) {
                return lines[i + 1];
            }
        }
        return null;
    }

    public boolean has(String name) {
        return first(name) != null;
    }

    public int count(String name) {
        int count = 0;
        for (int i = 0; i < lines.length; i += 2) {
            count += same(lines[i], name) ? 1 : 0;
        }
        return count;
    }

    /** All fields of this name as one, joined by commas (RFC 9110, section 5.3). */
    public @Nullable String joined(String name) {
        String joined = null;
        for (int i = 0; i < lines.length; i += 2) {
            if (same(lines[i], name)) {
                joined = joined == null ? lines[i + 1] : joined + ", " + lines[i + 1];
            }
        }
        return joined;
    }

    /** The members of the list that all fields of this name make, without those that are empty. */
    public List<String> list(String name) {
        List<String> members = new ArrayList<>();
        for (int i = 0; i < lines.length; i += 2) {
            if (same(lines[i], name)) {
                Members.split(lines[i + 1], members);
            }
        }
        return members;
    }

    public void forEach(BiConsumer<String, String> line) {
        for (int i = 0; i < lines.length; i += 2) {
            line.accept(lines[i], lines[i + 1]);
        }
    }

    /** Those whose name is not among these. */
    public Headers without(Predicate<String> names) {
        Builder kept = new Builder(size());
        forEach((name, value) -> {
            if (!names.test(name)) {
                kept.add(name, value);
            }
        });
        return kept.build();
    }

    public Builder edit() {
        Builder builder = new Builder(size() + 4);
        forEach(builder::add);
        return builder;
    }

    static boolean same(String a, String b) {
        return a.length() == b.length() && a.equalsIgnoreCase(b);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        forEach((name, value) -> text.append(name).append(": ").append(value).append('\n'));
        return text.toString();
    }

    /** Collects fields. Confined to a thread. */
    public static final class Builder {
        private final List<String> lines;

        public Builder() {
            this(16);
        }

        Builder(int expected) {
            lines = new ArrayList<>(2 * expected);
        }

        public Builder add(String name, String value) {
            lines.add(name);
            lines.add(value);
            return this;
        }

        /** In place of all fields of this name. */
        public Builder set(String name, String value) {
            return remove(name).add(name, value);
        }

        public Builder remove(String name) {
            for (int i = lines.size() - 2; i >= 0; i -= 2) {
                if (same(lines.get(i), name)) {
                    lines.remove(i + 1);
                    lines.remove(i);
                }
            }
            return this;
        }

        public int size() {
            return lines.size() / 2;
        }

        public Headers build() {
            return new Headers(lines.toArray(String[]::new));
        }
    }
}
