package dev.perhaps.similarity;

import dev.perhaps.similarity.duplicates.NearDuplicates;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Texts numbered 0 … count − 1 that can be read several times: {@link NearDuplicates} reads each text once, and those
 * that may have a duplicate again. Several threads read at once; the same number must always give the same text.
 *
 * <p>{@code Documents.of(List.of("one text", "another text"))}
 */
public interface Documents {
    /** Returns the number of documents. */
    int count();

    /** Returns the UTF-8 bytes of a text; the caller does not change them. */
    byte[] utf8(int document) throws IOException;

    /**
     * Compares two documents with the same text: below 0 if {@code a} comes first. The default is by number; if it is
     * by name, the kept document does not depend on the order of the documents.
     */
    default int compare(int a, int b) {
        return Integer.compare(a, b);
    }

    /** Returns texts that are in memory, numbered as in the list. */
    static Documents of(List<? extends CharSequence> list) {
        List<CharSequence> texts = List.copyOf(list);
        return new Documents() {
            @Override
            public int count() {
                return texts.size();
            }

            @Override
            public byte[] utf8(int document) {
                return texts.get(document).toString().getBytes(StandardCharsets.UTF_8);
            }
        };
    }
}
