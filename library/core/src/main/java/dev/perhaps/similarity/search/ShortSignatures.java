package dev.perhaps.similarity.search;

import java.io.IOException;

/** The signatures of contents, cut to 32 bits per component. Read from several threads. */
public interface ShortSignatures {
    int count();

    /** The caller must not change it. */
    int[] get(int content);

    static ShortSignatures of(int[][] all) {
        return new ShortSignatures() {
            @Override
            public int count() {
                return all.length;
            }

            @Override
            public int[] get(int content) {
                return all[content];
            }
        };
    }

    /** Where sketches are kept while documents are read, by document. Written from several threads. */
    interface Store {
        void put(int document, int[] sketch) throws IOException;

        /** Those of these documents, in this order; nothing is put any more. */
        ShortSignatures of(int[] documents) throws IOException;

        /** In memory, of up to this number of documents. */
        static Store inMemory(int count) {
            int[][] byDocument = new int[count][];
            return new Store() {
                @Override
                public void put(int document, int[] sketch) {
                    byDocument[document] = sketch;
                }

                @Override
                public ShortSignatures of(int[] documents) {
                    int[][] all = new int[documents.length][];
                    for (int i = 0; i < all.length; i++) {
                        all[i] = byDocument[documents[i]];
                    }
                    return ShortSignatures.of(all);
                }
            };
        }
    }
}
