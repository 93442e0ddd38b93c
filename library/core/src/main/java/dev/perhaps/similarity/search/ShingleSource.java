package dev.perhaps.similarity.search;

import dev.perhaps.key.Key;
import dev.perhaps.similarity.Documents;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.TextSigner;
import dev.perhaps.similarity.text.Letters;
import dev.perhaps.similarity.text.RollingHash;
import dev.perhaps.similarity.text.SetBuilder;
import dev.perhaps.similarity.text.ShingleBlocks;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the shingle hashes of documents come from. */
public interface ShingleSource {
    int count();

    int compare(int a, int b);

    /** Reads documents; each thread has one of its own. */
    Reader reader();

    /** One document after the other. Not thread-safe. */
    abstract class Reader {
        /** 128 bits that tell contents apart. */
        public long high;

        public long low;
        /** What the longest text is chosen by. */
        public long length;

        /** Reads a document, and what is asked then is asked of this one. */
        public abstract void open(int document) throws IOException;

        public abstract void sign(long[] into);

        /** Gathers its different shingle hashes, to be copied, and returns their number. */
        abstract int gather();

        /** Copies what was gathered, in ascending order. */
        abstract void copy(long[] into);

        /** Its different shingle hashes, in ascending order. */
        public final long[] set() {
            long[] set = new long[gather()];
            copy(set);
            return set;
        }

        /** Those of them that fall into part {@code part} of {@code parts} of all hashes. */
        abstract long[] part(int part, int parts);
    }

    static ShingleSource texts(Documents documents, Shingles shingles, MinHash<CharSequence> family) {
        return new ShingleSource() {
            @Override
            public int count() {
                return documents.count();
            }

            @Override
            public int compare(int a, int b) {
                return documents.compare(a, b);
            }

            @Override
            public Reader reader() {
                return new TextReader(documents, shingles, family);
            }
        };
    }

    /** Texts, cut into shingles. */
    final class TextReader extends Reader {
        private static final int FEW = 1 << 12;

        private final Documents documents;
        private final Shingles shingles;
        private final Key.Bytes first;
        private final Key.Bytes second;
        private final TextSigner signer;
        /** Null if the text has to become a string first. */
        private final @Nullable ShingleBlocks blocks;

        private final SetBuilder builder = new SetBuilder();
        private byte[] utf8 = new byte[0];

        TextReader(Documents documents, Shingles shingles, MinHash<CharSequence> family) {
            this.documents = documents;
            this.shingles = shingles;
            this.first = Key.bytes().seeded(shingles.seed());
            this.second = Key.bytes().seeded(~shingles.seed());
            this.signer = new TextSigner(shingles.plain(), family);
            RollingHash rolling = new RollingHash(shingles.size());
            this.blocks =
                    shingles.isOfWords() ? null : new ShingleBlocks(rolling, new Letters(shingles.seed(), rolling));
        }

        @Override
        public void open(int document) throws IOException {
            utf8 = documents.utf8(document);
            length = utf8.length;
            if (shingles.isNormalising()) {
                utf8 = shingles.normalise(new String(utf8, StandardCharsets.UTF_8))
                        .getBytes(StandardCharsets.UTF_8);
            }
            high = first.hash(utf8, 0, utf8.length);
            low = second.hash(utf8, 0, utf8.length);
        }

        @Override
        public void sign(long[] into) {
            signer.sign(utf8, 0, utf8.length, into);
        }

        @Override
        int gather() {
            if (blocks == null) {
                long[] all = shingles.plain().hashes(new String(utf8, StandardCharsets.UTF_8));
                return builder.gather(all, all.length);
            }
            blocks.start(utf8, 0, utf8.length);
            return builder.gather(blocks, utf8.length);
        }

        @Override
        void copy(long[] into) {
            builder.copy(into);
        }

        @Override
        long[] part(int part, int parts) {
            if (blocks == null) {
                return SetBuilder.part(set(), part, parts);
            }
            // A little more than its share, so that it need not grow.
            long share = utf8.length / parts;
            blocks.start(utf8, 0, utf8.length);
            return builder.build(blocks, share + share / 16 + FEW, part, parts);
        }
    }

    /** Documents that are their shingle hashes; the set is the content, and its size the length. */
    static ShingleSource hashes(List<long[]> documents, MinHash<?> family) {
        return new ShingleSource() {
            @Override
            public int count() {
                return documents.size();
            }

            @Override
            public int compare(int a, int b) {
                return Integer.compare(a, b);
            }

            @Override
            public Reader reader() {
                return new HashReader(documents, family);
            }
        };
    }

    /** Documents that are their hashes. */
    final class HashReader extends Reader {
        private final List<long[]> documents;
        private final MinHash<?> family;
        private final Key.Longs key = Key.longs();
        private final SetBuilder builder = new SetBuilder();
        private long[] set = new long[0];

        HashReader(List<long[]> documents, MinHash<?> family) {
            this.documents = documents;
            this.family = family;
        }

        @Override
        public void open(int document) {
            set = builder.build(documents.get(document), documents.get(document).length);
            length = set.length;
            high = key.hash(set.length);
            low = high;
            for (long hash : set) {
                high = key.hash(high ^ hash);
                low = key.hash(low + hash);
            }
        }

        @Override
        public void sign(long[] into) {
            family.sign(set, 0, set.length, into);
        }

        @Override
        int gather() {
            return set.length;
        }

        @Override
        void copy(long[] into) {
            System.arraycopy(set, 0, into, 0, set.length);
        }

        @Override
        long[] part(int part, int parts) {
            return SetBuilder.part(set, part, parts);
        }
    }
}
