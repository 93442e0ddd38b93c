package dev.perhaps.web.admin;

import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A GET of an {@link AdminPage}: its path and its parameters, decoded. Immutable. */
public final class AdminRequest {
    private final String path;
    private final Map<String, List<String>> parameters;

    private AdminRequest(String path, Map<String, List<String>> parameters) {
        this.path = path;
        this.parameters = parameters;
    }

    /**
     * Decodes a target such as {@code /api/files?most=10}.
     *
     * @throws IllegalArgumentException if it cannot be decoded
     */
    public static AdminRequest of(String target) {
        try {
            QueryStringDecoder query = new QueryStringDecoder(target);
            return new AdminRequest(query.path(), query.parameters());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the address cannot be decoded", e);
        }
    }

    /** Returns the path, without parameters. */
    public String path() {
        return path;
    }

    /**
     * Returns a parameter.
     *
     * @throws IllegalArgumentException if it is given more than once
     */
    public Optional<String> parameter(String name) {
        List<String> values = parameters.getOrDefault(name, List.of());
        if (values.size() > 1) {
            throw new IllegalArgumentException(name + " is given " + values.size() + " times: give it once");
        }
        return values.stream().findFirst();
    }

    /**
     * Returns a parameter that is a whole number from 1 to {@code max}.
     *
     * @param fallback what to return if the parameter is not given
     * @throws IllegalArgumentException if the value is not such a number, or is given more than once
     */
    public int count(String name, int fallback, int max) {
        Optional<String> text = parameter(name);
        if (text.isEmpty()) {
            return fallback;
        }
        int number;
        try {
            number = Integer.parseInt(text.get());
        } catch (NumberFormatException e) {
            number = 0; // refused below, with the text that was given
        }
        if (number < 1 || number > max) {
            throw new IllegalArgumentException(name + " must be in 1.." + max + ", got '" + text.get() + "'");
        }
        return number;
    }
}
