package dev.perhaps.cli;

import dev.perhaps.cli.input.Entry;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.membership.Hashes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** The hashes of everything in the inputs, read anew each time they are asked for. */
final class InputHashes implements Hashes {
    private static final int BATCH = 1 << 13;

    private final List<Input> inputs;
    private final KeyForm form;
    private final String doing;
    private final long count;
    private boolean read;

    /** {@code count} is how many there will be, or the best guess. */
    InputHashes(List<Input> inputs, KeyForm form, String doing, long count) {
        this.inputs = inputs;
        this.form = form;
        this.doing = doing;
        this.count = count;
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public void replay(Sink sink) {
        if (read && !inputs.stream().allMatch(Input::rereadable)) {
            throw new IllegalStateException("standard input can be read only once");
        }
        read = true;
        Batch batch = new Batch(sink);
        try (Progress progress = new Progress(doing, inputs)) {
            for (Input input : inputs) {
                try (Input.Open open = input.open(progress)) {
                    form.read(input.name(), open.stream(), batch);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        batch.hand();
    }

    private static final class Batch implements KeyForm.Sink {
        private final Sink sink;
        private final long[] hashes = new long[BATCH];
        private int filled;

        Batch(Sink sink) {
            this.sink = sink;
        }

        @Override
        public void take(Entry entry) {
            for (int i = 0; i < entry.hashCount(); i++) {
                hashes[filled++] = entry.hashes()[i];
                if (filled == BATCH) {
                    hand();
                }
            }
        }

        void hand() {
            sink.take(hashes, 0, filled);
            filled = 0;
        }
    }
}
