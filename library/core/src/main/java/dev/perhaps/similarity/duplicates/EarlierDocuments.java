package dev.perhaps.similarity.duplicates;

import dev.perhaps.similarity.segments.Snapshot;

/** What clusters depend on of documents of earlier runs, by number: in the order in which they were added. */
interface EarlierDocuments {
    /** The document that a cluster is known by. */
    int root(int number);

    boolean isKept(int number);

    /** The name. */
    byte[] utf8(int number);

    static EarlierDocuments of(Snapshot index) {
        return new EarlierDocuments() {
            @Override
            public int root(int number) {
                return index.root(number);
            }

            @Override
            public boolean isKept(int number) {
                return index.isKept(number);
            }

            @Override
            public byte[] utf8(int number) {
                return index.utf8(number);
            }
        };
    }
}
