package dev.perhaps.chord.web;

import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes one JSON object. */
final class JsonText {
    private final StringBuilder text = new StringBuilder();

    private JsonText() {}

    static String object(Consumer<JsonText> fields) {
        JsonText json = new JsonText();
        json.braces(fields);
        return json.text.toString();
    }

    /** Null becomes null. */
    JsonText field(String name, @Nullable String value) {
        name(name);
        if (value == null) {
            text.append("null");
        } else {
            quote(value);
        }
        return this;
    }

    JsonText field(String name, long value) {
        name(name);
        text.append(value);
        return this;
    }

    JsonText field(String name, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(name + " is no number that JSON has: " + value);
        }
        name(name);
        text.append(value);
        return this;
    }

    JsonText field(String name, boolean value) {
        name(name);
        text.append(value);
        return this;
    }

    JsonText object(String name, Consumer<JsonText> fields) {
        name(name);
        braces(fields);
        return this;
    }

    /** A list of objects. */
    <T> JsonText objects(String name, Iterable<T> items, BiConsumer<JsonText, T> fields) {
        name(name);
        text.append('[');
        for (T item : items) {
            comma();
            braces(json -> fields.accept(json, item));
        }
        text.append(']');
        return this;
    }

    JsonText strings(String name, Iterable<String> items) {
        name(name);
        text.append('[');
        for (String item : items) {
            comma();
            quote(item);
        }
        text.append(']');
        return this;
    }

    private void braces(Consumer<JsonText> fields) {
        text.append('{');
        fields.accept(this);
        text.append('}');
    }

    private void name(String name) {
        comma();
        quote(name);
        text.append(':');
    }

    /** Between two, not behind a bracket. */
    private void comma() {
        char last = text.charAt(text.length() - 1);
        if (last != '{' && last != '[') {
            text.append(',');
        }
    }

    /** Control characters, and what would end a string, a script or a line of JavaScript, are escaped. */
    private void quote(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ' || c == '<' || c == '\u007f' || c == '\u2028' || c == '\u2029' || lone(value, i)) {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }

    /** Half a character, which UTF-8 cannot write. */
    private static boolean lone(String value, int i) {
        char c = value.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 == value.length() || !Character.isLowSurrogate(value.charAt(i + 1));
        }
        return Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(value.charAt(i - 1)));
    }
}
