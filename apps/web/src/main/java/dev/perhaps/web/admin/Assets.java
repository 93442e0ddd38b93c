package dev.perhaps.web.admin;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The static files of a page: few, small, and in memory. Each is sent with a tag of its content, so that a browser asks
 * again and gets it only if it has changed. Every {@link AdminServer} also serves {@code /style.css}, the style sheet
 * that all pages share. Immutable.
 *
 * <p>{@code Assets.of(name -> MyPage.class.getResourceAsStream(name), "index.html", "page.js")}
 */
public final class Assets {
    private static final int MAX_FILE_BYTES = 1 << 20;
    private static final String INDEX = "index.html";
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "svg", "image/svg+xml",
            "png", "image/png");

    /** Opens a file by its name. */
    @FunctionalInterface
    public interface Loader {
        /** Returns the content, or null if there is no such file. */
        @Nullable
        InputStream open(String name) throws IOException;
    }

    /**
     * A file.
     *
     * @param tag changes with its content
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared, never written to
    record Asset(String type, byte[] content, String tag) {}

    private final Map<String, Asset> byPath;

    private Assets(Map<String, Asset> byPath) {
        this.byPath = byPath;
    }

    /** The style sheet that all pages share. */
    static Assets shared() throws IOException {
        return of(name -> Assets.class.getResourceAsStream(name), "style.css");
    }

    /**
     * Loads files. {@code index.html} is also found at {@code /}.
     *
     * @param loader the class that calls {@code getResourceAsStream} must be in the module that has the files
     * @throws IOException if one is missing or larger than 1 MiB
     */
    public static Assets of(Loader loader, String... names) throws IOException {
        Map<String, Asset> byPath = new LinkedHashMap<>();
        for (String name : names) {
            Asset asset = load(loader, name);
            byPath.put("/" + name, asset);
            if (name.equals(INDEX)) {
                byPath.put("/", asset);
            }
        }
        return new Assets(byPath);
    }

    Map<String, Asset> byPath() {
        return byPath;
    }

    private static Asset load(Loader loader, String name) throws IOException {
        try (InputStream in = loader.open(name)) {
            if (in == null) {
                throw new IOException("a part of the page is missing: " + name);
            }
            byte[] bytes = in.readNBytes(MAX_FILE_BYTES + 1);
            if (bytes.length > MAX_FILE_BYTES) {
                throw new IOException("a part of the page has more than " + MAX_FILE_BYTES + " bytes: " + name);
            }
            String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "application/octet-stream");
            return new Asset(type, bytes, '"' + tag(bytes) + '"');
        }
    }

    private static String tag(byte[] bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return HexFormat.of().formatHex(hash, 0, 10);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
