package dev.perhaps.cli.spark;

import dev.perhaps.cli.engine.Engine;
import dev.perhaps.cli.engine.RecordSource;
import dev.perhaps.cli.input.BadRecords;
import dev.perhaps.cli.input.KeyForm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The records of one split, as a task reads them, and what it found. Confined to its task. */
final class TaskRecords implements Engine.Records {
    private final RecordSource source;
    private final Split split;
    private final List<String> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final BadRecords bad;
    private long hashes;

    TaskRecords(RecordSource source, Split split) {
        this.source = source;
        this.split = split;
        this.bad = source.bad(problems::add);
    }

    @Override
    public void read(KeyForm.Sink sink) throws IOException {
        KeyForm form = source.form(bad, warnings::add);
        split.read((name, in) -> form.read(name, in, entry -> {
            hashes += entry.hashCount();
            sink.take(entry);
        }));
    }

    @Override
    public BadRecords bad() {
        return bad;
    }

    Found found() {
        return new Found(split.number(), hashes, bad.count(), List.copyOf(problems), List.copyOf(warnings));
    }
}
