package dev.perhaps.similarity.segments;

import dev.perhaps.frame.MappedLongs;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Words of 8 bytes, on the heap or in a file. */
public interface WordArray {
    long get(long index);

    /** As {@link #get}, of a word that another thread may be changing. */
    long fresh(long index);

    static WordArray mapped(MappedLongs file) {
        return new WordArray() {
            @Override
            public long get(long index) {
                return file.get(index);
            }

            @Override
            public long fresh(long index) {
                return file.get(index);
            }
        };
    }

    /** Words that can be changed one by one. */
    final class Heap implements WordArray {
        private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

        private final long[] words;

        public Heap(long[] words) {
            this.words = words;
        }

        @Override
        public long get(long index) {
            return words[(int) index];
        }

        @Override
        public long fresh(long index) {
            return (long) WORD.getOpaque(words, (int) index);
        }

        void set(long index, long value) {
            WORD.setOpaque(words, (int) index, value);
        }
    }
}
