package dev.perhaps.web.admin;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes one JSON object. Characters that would end a string, a script or a line of JavaScript are escaped, so that the object
 * is also safe inside a page. Confined to the call of {@link #object(Consumer)}.
 *
 * <p>{@code String text = JsonText.object(json -> json.field("name", "report").field("sizeBytes", 11));}
 */
public final class JsonText {
    private final StringBuilder text = new StringBuilder();

    private JsonText() {}

    /** Returns an object with these fields. */
    public static String object(Consumer<JsonText> fields) {
        JsonText json = new JsonText();
        json.braces(fields);
        return json.text.toString();
    }

    /** Adds a field with a string; null becomes {@code null}. */
    @CanIgnoreReturnValue
    public JsonText field(String name, @Nullable String value) {
        name(name);
        if (value == null) {
            text.append("null");
        } else {
            quote(value);
        }
        return this;
    }

    /** Adds a field with a whole number. */
    @CanIgnoreReturnValue
    public JsonText field(String name, long value) {
        name(name);
        text.append(value);
        return this;
    }

    /** Adds a field with a number, which must be finite. */
    @CanIgnoreReturnValue
    public JsonText field(String name, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(name + " is not a number that JSON has: " + value);
        }
        name(name);
        text.append(value);
        return this;
    }

    /** Adds a field with {@code true} or {@code false}. */
    @CanIgnoreReturnValue
    public JsonText field(String name, boolean value) {
        name(name);
        text.append(value);
        return this;
    }

    /** Adds a field with an object. */
    @CanIgnoreReturnValue
    public JsonText object(String name, Consumer<JsonText> fields) {
        name(name);
        braces(fields);
        return this;
    }

    /** Adds a field with a list of objects, one per item. */
    @CanIgnoreReturnValue
    public <T> JsonText objects(String name, Iterable<T> items, BiConsumer<JsonText, T> fields) {
        name(name);
        text.append('[');
        for (T item : items) {
            comma();
            braces(json -> fields.accept(json, item));
        }
        text.append(']');
        return this;
    }

    /** Adds a field with a list of strings. */
    @CanIgnoreReturnValue
    public JsonText strings(String name, Iterable<String> items) {
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

    /** Between two elements, not after a bracket. */
    private void comma() {
        char last = text.charAt(text.length() - 1);
        if (last != '{' && last != '[') {
            text.append(',');
        }
    }

    private void quote(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ' || c == '<' || c == '\u007f' || c == '\u2028' || c == '\u2029' || isUnpaired(value, i)) {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }

    /** Returns true if this is one half of a surrogate pair without the other, which UTF-8 cannot write. */
    private static boolean isUnpaired(String value, int i) {
        char c = value.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 == value.length() || !Character.isLowSurrogate(value.charAt(i + 1));
        }
        return Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(value.charAt(i - 1)));
    }
}
