package dev.perhaps.cli.spark;

import dev.perhaps.cli.engine.BasketSource;
import dev.perhaps.cli.engine.Engine;
import dev.perhaps.cli.engine.RecordSource;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Decimals;
import dev.perhaps.cli.input.Texts;
import dev.perhaps.key.Hashes;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;

/** Does the steps of commands as jobs of one Spark session. */
final class SparkEngine implements Engine {
    /** The size of the parts of inputs, in bytes, if it is to be another one. */
    static final String SPLIT_BYTES = "spark.perhaps.splitBytes";

    private static final long MIN_SPLIT_BYTES = 1 << 20;
    private static final long MAX_SPLIT_BYTES = 1 << 27;
    /** Hashes of a split stay in memory until their turn: at least 2 bytes of text for 8 bytes of hash. */
    private static final long MAX_REPLAYED_SPLIT_BYTES = 1 << 24;

    private static final int SPLITS_PER_CORE = 3;

    private final SparkSession session;
    private final JavaSparkContext context;

    SparkEngine(SparkSession session) {
        this.session = session;
        this.context = JavaSparkContext.fromSparkContext(session.sparkContext());
    }

    /** A filled copy of a sketch, and what was found while it was filled. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Filled(byte[] frame, List<Found> found) implements Serializable {
        private static final long serialVersionUID = 1;
    }

    @Override
    public <S extends Sketch> Findings fill(String what, RecordSource source, S sketch, Filling<S> filling)
            throws IOException {
        List<Split> splits = splits(source, MAX_SPLIT_BYTES);
        Filled all = job(what, () -> {
            Broadcast<byte[]> start = context.broadcast(sketch.toBytes());
            Filled filled = context.parallelize(splits, splits.size())
                    .map(split -> fill(split, source, filling.open(start.value()), filling))
                    .treeReduce((a, b) -> merge(a, b, filling));
            start.destroy();
            return filled;
        });
        merge(sketch, filling.open(all.frame));
        return Found.all(all.found);
    }

    private static <S extends Sketch> Filled fill(Split split, RecordSource source, S sketch, Filling<S> filling)
            throws IOException {
        TaskRecords records = new TaskRecords(source, split);
        filling.fill(sketch, records);
        return new Filled(sketch.toBytes(), List.of(records.found()));
    }

    private static <S extends Sketch> Filled merge(Filled a, Filled b, Filling<S> filling) throws IOException {
        S merged = filling.open(a.frame);
        merge(merged, filling.open(b.frame));
        List<Found> found = new ArrayList<>(a.found);
        found.addAll(b.found);
        return new Filled(merged.toBytes(), found);
    }

    @SuppressWarnings("unchecked") // both were made from the same frame
    private static void merge(Sketch sketch, Sketch other) {
        ((Mergeable<Object>) sketch).merge(other);
    }

    @Override
    public Findings replay(String what, RecordSource source, Hashes.Sink sink) throws IOException {
        List<Split> splits = splits(source, MAX_REPLAYED_SPLIT_BYTES);
        List<Found> found = new ArrayList<>();
        int atOnce = SPLITS_PER_CORE * context.defaultParallelism();
        for (int from = 0; from < splits.size(); from += atOnce) {
            List<Split> next = List.copyOf(splits.subList(from, Math.min(splits.size(), from + atOnce)));
            List<HashedSplit> hashed = job(
                    what,
                    () -> context.parallelize(next, next.size())
                            .map(split -> HashedSplit.read(source, split))
                            .collect());
            for (HashedSplit each : hashed) {
                each.replay(sink);
                found.add(each.found());
            }
        }
        return Found.all(found);
    }

    @Override
    public Duplicates duplicates(String what, Texts texts, DuplicateSearch search) throws IOException {
        return job(what, () -> new DuplicateSteps(session, texts, search).run());
    }

    @Override
    public ItemPairs correlations(String what, BasketSource source, ItemSearch search) throws IOException {
        boolean isByLine = source.form(source.bad(problem -> {}), warning -> {}).isByLine();
        List<Split> splits = Split.of(source.inputs(), isByLine, splitBytes(source.inputs(), MAX_SPLIT_BYTES));
        return job(what, () -> new BasketSteps(session, source, splits, search).run());
    }

    private List<Split> splits(RecordSource source, long most) throws IOException {
        boolean isByLine = source.form(source.bad(problem -> {}), warning -> {}).isByLine();
        return Split.of(source.inputs(), isByLine, splitBytes(source.inputs(), most));
    }

    private long splitBytes(List<String> inputs, long most) throws IOException {
        String asked = session.conf().get(SPLIT_BYTES, "");
        if (!asked.isEmpty()) {
            try {
                return Math.max(1, Long.parseLong(asked));
            } catch (NumberFormatException e) {
                throw new BadInput(SPLIT_BYTES + " must be a number of bytes, got '" + asked + "'");
            }
        }
        long total = 0;
        for (String input : inputs) {
            total += Files.size(Path.of(input));
        }
        long share = total / ((long) SPLITS_PER_CORE * context.defaultParallelism());
        return Math.max(MIN_SPLIT_BYTES, Math.min(most, share));
    }

    /** Runs a job, shows how far it has come, and throws what a task has thrown. */
    private <T> T job(String what, Callable<T> work) throws IOException {
        try (JobProgress progress = new JobProgress(what, session.sparkContext())) {
            return work.call();
        } catch (Exception e) { // Scala declares nothing
            throw failure(e);
        }
    }

    /** What a task has thrown, as if it had been thrown here. */
    static RuntimeException failure(Exception e) throws IOException {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof BadInput || cause instanceof Decimals.MoreFound) {
                throw (RuntimeException) cause;
            }
            if (cause instanceof IOException io) {
                throw io;
            }
            if (cause instanceof IllegalArgumentException || cause instanceof IllegalStateException) {
                throw (RuntimeException) cause;
            }
        }
        String message = String.valueOf(e.getMessage());
        return new IllegalStateException(
                "Spark gave up: " + message.lines().findFirst().orElse("") + " (--spark-log LOG tells more)");
    }
}
