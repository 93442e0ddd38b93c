package dev.perhaps.cli.options;

import dev.perhaps.cli.console.Progress;
import dev.perhaps.cli.engine.ActiveEngine;
import dev.perhaps.cli.engine.Engine;
import dev.perhaps.cli.input.Decimals;
import dev.perhaps.cli.input.Entry;
import dev.perhaps.cli.input.HashedLines;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.List;

/** The hashes of everything in the inputs, read again for each replay. */
public final class InputHashes implements Hashes {
    private static final int BATCH = 1 << 13;

    private final List<Input> inputs;
    private final KeyForm form;
    private final RecordOptions reading;
    private final String doing;
    private long count;
    private boolean read;

    public InputHashes(List<Input> inputs, KeyForm form, RecordOptions reading, String doing) {
        this.inputs = inputs;
        this.form = form;
        this.reading = reading;
        this.doing = doing;
    }

    /** Sets the expected number of items, if it is known before they are read. */
    public void expect(long items) {
        count = items;
    }

    /** How many there were when they were last read, or are expected to be. */
    @Override
    public long count() {
        return count;
    }

    /** Returns true if they can be read a second time. */
    public boolean rereadable() {
        return inputs.stream().allMatch(Input::rereadable);
    }

    @Override
    public void replay(Sink sink) {
        replay(doing, sink);
    }

    /** How hashes are put into a sketch, in this process or in another. */
    @FunctionalInterface
    public interface Adding<S extends Sketch> extends Serializable {
        void add(S sketch, long[] hashes, int from, int to);
    }

    /**
     * Puts them all into a sketch that does not depend on their order. It is empty, or one to which it makes no difference if it
     * is merged with itself.
     */
    public <S extends Sketch> void addTo(S sketch, Adding<S> adding) {
        addTo(doing, sketch, adding);
    }

    /** The same as a first pass, to learn something of them. */
    public <S extends Sketch> void countInto(S sketch, Adding<S> adding) {
        addTo("counting", sketch, adding);
    }

    private <S extends Sketch> void addTo(String what, S sketch, Adding<S> adding) {
        Engine engine = ActiveEngine.get();
        if (engine == null) {
            replay(what, (hashes, from, to) -> adding.add(sketch, hashes, from, to));
            return;
        }
        reading.restart();
        try {
            found(engine.fill(what, reading.source(inputs, null, Decimals.none()), sketch, (filled, records) -> {
                Batch batch = new Batch((hashes, from, to) -> adding.add(filled, hashes, from, to));
                records.read(batch);
                batch.hand();
            }));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void found(Engine.Findings findings) {
        count = findings.hashes();
        reading.found(findings);
    }

    private void replay(String what, Sink sink) {
        if (read && !rereadable()) {
            throw new IllegalStateException("standard input can be read only once");
        }
        read = true;
        reading.restart();
        count = 0;
        Engine engine = ActiveEngine.get();
        if (engine != null) {
            try {
                found(engine.replay(what, reading.source(inputs, null, Decimals.none()), sink));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return;
        }
        Sink counted = (hashes, from, to) -> {
            count += to - from;
            sink.take(hashes, from, to);
        };
        Batch batch = new Batch(counted);
        Key.Bytes lineKey = form.lineKey();
        try (Progress progress = new Progress(what, inputs)) {
            for (Input input : inputs) {
                if (lineKey == null) {
                    form.read(input, progress, batch);
                } else {
                    HashedLines.read(
                            input,
                            progress,
                            lineKey,
                            HashedLines.Preparation.NONE,
                            block -> counted.take(block.hashes(), 0, block.count()));
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
