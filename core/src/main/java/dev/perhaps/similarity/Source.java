package dev.perhaps.similarity;

import dev.perhaps.key.Key;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Where the shingle hashes of documents come from. Read from several threads, each with a {@link Reading} of its own. */
interface Source {
    int count();

    int compare(int a, int b);

    void read(int document, Reading into) throws IOException;

    /** What a thread reads into; one array for all documents, as large as the largest. */
    final class Reading {
        long[] hashes = new long[1 << 12];
        int count;
        /** 128 bits that tell contents apart. */
        long high;

        long low;
        /** What the longest text is chosen by. */
        long length;

        void room(int places) {
            if (hashes.length < places) {
                hashes = new long[(int) Math.min(Integer.MAX_VALUE - 8, Math.max(places, 2L * hashes.length))];
            }
        }
    }

    static Source texts(Documents documents, Shingles shingles) {
        Key.Bytes first = Key.bytes().seeded(shingles.seed());
        Key.Bytes second = Key.bytes().seeded(~shingles.seed());
        return new Source() {
            @Override
            public int count() {
                return documents.count();
            }

            @Override
            public int compare(int a, int b) {
                return documents.compare(a, b);
            }

            @Override
            public void read(int document, Reading into) throws IOException {
                byte[] utf8 = documents.utf8(document);
                into.length = utf8.length;
                if (shingles.isNormalising()) {
                    String formed = shingles.normalise(new String(utf8, StandardCharsets.UTF_8));
                    utf8 = formed.getBytes(StandardCharsets.UTF_8);
                }
                into.high = first.hash(utf8, 0, utf8.length);
                into.low = second.hash(utf8, 0, utf8.length);
                into.room(utf8.length + 1);
                into.count = shingles.plain().hashes(utf8, 0, utf8.length, into.hashes);
            }
        };
    }

    /** Documents that are their shingle hashes; the set is the content, and its size the length. */
    static Source hashes(List<long[]> documents) {
        Key.Longs key = Key.longs();
        return new Source() {
            @Override
            public int count() {
                return documents.size();
            }

            @Override
            public int compare(int a, int b) {
                return Integer.compare(a, b);
            }

            @Override
            public void read(int document, Reading into) {
                long[] set = new SetBuilder().build(documents.get(document), documents.get(document).length);
                into.room(set.length);
                System.arraycopy(set, 0, into.hashes, 0, set.length);
                into.count = set.length;
                into.length = set.length;
                into.high = key.hash(set.length);
                into.low = into.high;
                for (long hash : set) {
                    into.high = key.hash(into.high ^ hash);
                    into.low = key.hash(into.low + hash);
                }
            }
        };
    }
}
