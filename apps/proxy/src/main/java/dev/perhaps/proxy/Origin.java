package dev.perhaps.proxy;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The server whose pages are cached: {@code http://host:port}. */
public record Origin(boolean tls, String host, int port) {
    /** Parses {@code http://host[:port]} or {@code https://host[:port]}. */
    public static Origin of(String text) {
        try {
            URI uri = new URI(text);
            @Nullable String scheme = uri.getScheme();
            @Nullable String host = uri.getHost();
            boolean plain = "http".equalsIgnoreCase(scheme);
            @Nullable String path = uri.getRawPath();
            boolean bare = (path == null || path.isEmpty() || path.equals("/"))
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null
                    && uri.getRawUserInfo() == null;
            if (host != null && bare && (plain || "https".equalsIgnoreCase(scheme))) {
                int usual = plain ? 80 : 443;
                String name = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
                return new Origin(!plain, name.toLowerCase(Locale.ROOT), uri.getPort() < 0 ? usual : uri.getPort());
            }
        } catch (URISyntaxException e) {
            throw refused(text, e);
        }
        throw refused(text, null);
    }

    private static IllegalArgumentException refused(String text, @Nullable Exception cause) {
        return new IllegalArgumentException(
                "an origin is http://HOST:PORT or https://HOST:PORT without a path, got '" + text + "'", cause);
    }

    /** Returns the value for the field Host. */
    public String authority() {
        String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return port == (tls ? 443 : 80) ? name : name + ":" + port;
    }

    /** Returns the URL with which the keys of its pages begin. */
    public String url() {
        return (tls ? "https://" : "http://") + authority();
    }

    @Override
    public String toString() {
        return url();
    }
}
