package dev.perhaps.proxy;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The server whose pages are cached: {@code http://host:port}. */
public record Origin(boolean tls, String host, int port) {
    private static final Pattern UNDERSCORED = Pattern.compile("[A-Za-z0-9._-]*_[A-Za-z0-9._-]*(:[0-9]{1,5})?");

    /** Parses {@code http://host[:port]} or {@code https://host[:port]}. */
    public static Origin of(String text) {
        try {
            URI uri = new URI(text);
            @Nullable String scheme = uri.getScheme();
            @Nullable String host = uri.getHost() == null ? underscored(uri) : uri.getHost();
            boolean plain = "http".equalsIgnoreCase(scheme);
            @Nullable String path = uri.getRawPath();
            boolean bare = (path == null || path.isEmpty() || path.equals("/"))
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null
                    && uri.getRawUserInfo() == null;
            if (host != null && bare && (plain || "https".equalsIgnoreCase(scheme))) {
                int usual = plain ? 80 : 443;
                String name = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
                return new Origin(!plain, name.toLowerCase(Locale.ROOT), port(uri, usual));
            }
        } catch (URISyntaxException e) {
            throw refused(text, e);
        }
        throw refused(text, null);
    }

    /** A name with {@code _}, which is no host for {@link URI}, but is one for DNS, and the name of many a container. */
    private static @Nullable String underscored(URI uri) {
        @Nullable String authority = uri.getRawAuthority();
        return authority != null && UNDERSCORED.matcher(authority).matches()
                ? authority.split(":", 2)[0]
                : null;
    }

    private static int port(URI uri, int usual) {
        if (uri.getHost() != null) {
            return uri.getPort() < 0 ? usual : uri.getPort();
        }
        int colon = uri.getRawAuthority().indexOf(':');
        return colon < 0 ? usual : Integer.parseInt(uri.getRawAuthority().substring(colon + 1));
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
