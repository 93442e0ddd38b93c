package dev.perhaps.cli.input;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Recognises input that is not text by its first bytes, and says how to convert it: read as lines it would give meaningless keys, without an error.
 */
final class NotText {
    /** As many as a tar archive needs, whose marker is near the end of its first block. */
    static final int HEAD_BYTES = 512;

    /** Fewer are no evidence of UTF-16. */
    private static final int MIN_PAIRS = 2;

    /** The first bytes of a kind of file, one per character, and the command that makes text of it. */
    private record Kind(String what, int at, String magic, String remedy) {
        boolean matches(String head) {
            return head.startsWith(magic, at);
        }
    }

    private static final List<Kind> KINDS = List.of(
            new Kind("compressed with xz", 0, "\u00FD7zXZ\0", "xzcat"),
            new Kind("compressed with bzip2", 4, "1AY&SY", "bzcat"),
            new Kind("compressed with bzip2", 4, "\u0017rE8P\u0090", "bzcat"),
            new Kind("compressed with lz4", 0, "\u0004\"M\u0018", "lz4cat"),
            new Kind("compressed with compress", 0, "\u001F\u009D", "zcat"),
            new Kind("a ZIP archive", 0, "PK\u0003\u0004", "unzip -p"),
            new Kind("an empty ZIP archive", 0, "PK\u0005\u0006", "unzip -p"),
            new Kind("a tar archive", 257, "ustar", "tar -xOf"),
            new Kind("a 7z archive", 0, "7z\u00BC\u00AF'\u001C", "7z x -so"),
            new Kind("UTF-32 text", 0, "\u00FF\u00FE\0\0", "iconv -f UTF-32 -t UTF-8"),
            new Kind("UTF-32 text", 0, "\0\0\u00FE\u00FF", "iconv -f UTF-32 -t UTF-8"),
            new Kind("UTF-16 text", 0, "\u00FF\u00FE", "iconv -f UTF-16 -t UTF-8"),
            new Kind("UTF-16 text", 0, "\u00FE\u00FF", "iconv -f UTF-16 -t UTF-8"));

    private static final String PERHAPS = "\u0089Perhaps";

    private NotText() {}

    /** Refuses an input that begins with these bytes and is not text. */
    static void refuse(String path, String name, byte[] head, int length) {
        String text = new String(head, 0, length, ISO_8859_1);
        if (text.startsWith(PERHAPS)) {
            throw new BadInput(name + ": this is a Perhaps file, not text: name the data to read here, and see"
                    + " 'perhaps --help' for the commands that take such a file");
        }
        for (Kind kind : KINDS) {
            if (kind.matches(text) && (kind.at != 4 || text.startsWith("BZh"))) {
                throw refusal(path, name, kind.what, kind.remedy);
            }
        }
        String order = utf16(head, length);
        if (order != null) {
            throw refusal(path, name, order + " text", "iconv -f " + order + " -t UTF-8");
        }
    }

    private static BadInput refusal(String path, String name, String what, String remedy) {
        String pipe =
                path.equals(Input.STANDARD) ? "… | " + remedy + " | perhaps …" : remedy + " " + path + " | perhaps …";
        return new BadInput(name + ": it is " + what + ", which is not read as it is: use '" + pipe + "'");
    }

    /** UTF-16 without a byte order mark: in text of mostly Latin letters every second byte is 0, and no other one. */
    private static @Nullable String utf16(byte[] head, int length) {
        int pairs = length / 2;
        int[] zeros = new int[2];
        for (int i = 0; i < 2 * pairs; i++) {
            zeros[i & 1] += head[i] == 0 ? 1 : 0;
        }
        if (pairs < MIN_PAIRS || Math.min(zeros[0], zeros[1]) > 0 || Math.max(zeros[0], zeros[1]) * 2 < pairs) {
            return null;
        }
        return zeros[1] > 0 ? "UTF-16LE" : "UTF-16BE";
    }
}
