package dev.perhaps.cli.input;

import dev.perhaps.similarity.Documents;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Documents to compare, each with a name, that can be written again exactly as they were read. */
public interface Texts extends Documents {
    /** Returns the name of the document in results. */
    String name(int document);

    /** Bytes of all texts, about. */
    long bytes();

    /** Writes the document as in a list of documents that are kept, with a newline. */
    void writeTo(int document, OutputStream out) throws IOException;

    /** The same documents in parts, in their order, for other processes that read them. */
    List<TextPart> parts();

    /** The same documents, with this before each name. */
    static Texts prefixed(String prefix, Texts texts) {
        checkedName(prefix, "the prefix");
        return new Texts() {
            @Override
            public int count() {
                return texts.count();
            }

            @Override
            public byte[] utf8(int document) throws IOException {
                return texts.utf8(document);
            }

            @Override
            public int compare(int a, int b) {
                return texts.compare(a, b);
            }

            @Override
            public String name(int document) {
                return prefix + texts.name(document);
            }

            @Override
            public long bytes() {
                return texts.bytes();
            }

            @Override
            public void writeTo(int document, OutputStream out) throws IOException {
                texts.writeTo(document, out);
            }

            @Override
            public List<TextPart> parts() {
                return texts.parts();
            }
        };
    }

    /** Returns a name that fits into a column of a file; others are refused. */
    static String checkedName(String name, String what) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == '\t' || c == '\n' || c == '\r') {
                throw new BadInput(what + " '" + name.replaceAll("[\t\n\r]", "?")
                        + "' has a tab or a line break in it, which a list of names cannot hold: rename it");
            }
        }
        return name;
    }

    /** The index behind a UTF-8 byte order mark at {@code from}, which is not part of a text. */
    static int behindMark(byte[] bytes, int from, int to) {
        boolean mark = to - from >= 3
                && bytes[from] == (byte) 0xEF
                && bytes[from + 1] == (byte) 0xBB
                && bytes[from + 2] == (byte) 0xBF;
        return mark ? from + 3 : from;
    }
}
