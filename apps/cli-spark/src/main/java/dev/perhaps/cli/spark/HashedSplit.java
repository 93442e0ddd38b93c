package dev.perhaps.cli.spark;

import dev.perhaps.cli.engine.RecordSource;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.key.Hashes;
import java.io.IOException;
import java.io.Serializable;
import java.util.Arrays;

/** The hashes of one split, in its order, and what was found. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record HashedSplit(long[] hashes, Found found) implements Serializable {
    private static final long serialVersionUID = 1;
    /** 1 GiB: what is not divided into splits can be long. */
    private static final int MAX_HASHES = 1 << 27;

    private static final int FIRST_HASHES = 1 << 14;

    static HashedSplit read(RecordSource source, Split split) throws IOException {
        TaskRecords records = new TaskRecords(source, split);
        long[][] hashes = {new long[FIRST_HASHES]};
        int[] count = {0};
        records.read(entry -> {
            int added = entry.hashCount();
            if (added > MAX_HASHES - count[0]) {
                throw new BadInput(split.name() + " has more than " + MAX_HASHES + " keys, and cannot be read in parts:"
                        + " use --kind bloom or blocked, or --engine local");
            }
            if (count[0] + added > hashes[0].length) {
                hashes[0] = Arrays.copyOf(hashes[0], Math.min(MAX_HASHES, 2 * (count[0] + added)));
            }
            System.arraycopy(entry.hashes(), 0, hashes[0], count[0], added);
            count[0] += added;
        });
        return new HashedSplit(Arrays.copyOf(hashes[0], count[0]), records.found());
    }

    void replay(Hashes.Sink sink) {
        sink.take(hashes, 0, hashes.length);
    }
}
