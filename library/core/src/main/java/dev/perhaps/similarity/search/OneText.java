package dev.perhaps.similarity.search;

import dev.perhaps.similarity.Documents;

/** A collection of one text, which is exchanged for the next: for texts that come one by one. Not thread-safe. */
public final class OneText implements Documents {
    private byte[] utf8 = new byte[0];

    public void set(byte[] text) {
        utf8 = text;
    }

    @Override
    public int count() {
        return 1;
    }

    @Override
    public byte[] utf8(int document) {
        return utf8;
    }
}
