package dev.perhaps.chord.web;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files of the page: few, small, and in memory. */
final class Assets {
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "svg", "image/svg+xml");

    private static final String[] NAMES = {
        "index.html", "page.css", "page.js", "circle.js", "places.js", "tables.js", "lookup.js", "words.js", "icon.svg"
    };

    /**
     * A file.
     *
     * @param tag changes with its content
     */
    record Asset(String type, ByteBuf content, String tag) {}

    private final Map<String, Asset> assets = new HashMap<>();

    Assets() throws IOException {
        for (String name : NAMES) {
            assets.put("/" + name, load(name));
        }
        assets.put("/", load("index.html"));
    }

    @Nullable
    Asset get(String path) {
        return assets.get(path);
    }

    private static Asset load(String name) throws IOException {
        try (InputStream in = Assets.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("a part of the page is not in the jar: " + name);
            }
            byte[] bytes = in.readAllBytes();
            String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "application/octet-stream");
            ByteBuf content = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(bytes));
            return new Asset(type, content.asReadOnly(), '"' + tag(bytes) + '"');
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
