package dev.perhaps.similarity;

import dev.perhaps.similarity.duplicates.NearDuplicates;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Texts by number, 0 … count − 1, that can be read again: {@link NearDuplicates} reads each once, and those again that may have
 * a duplicate. Reading is called from several threads at once and must answer the same each time.
 *
 * <p>{@code Documents.of(List.of("one text", "another text"))}
 */
public interface Documents {
    /** Returns the number of documents. */
    int count();

    /** The text's UTF-8 bytes, which must not be changed. */
    byte[] utf8(int document) throws IOException;

    /**
     * Which of two documents with the same text goes first: below 0 for {@code a}. By number, unless names say it better;
     * with names, what is kept does not depend on the order in which documents came.
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
