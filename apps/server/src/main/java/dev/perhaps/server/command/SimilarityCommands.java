package dev.perhaps.server.command;

import dev.perhaps.key.Key;
import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.SketchValue;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.server.wire.WireNumbers;
import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.index.DocumentIndex;
import dev.perhaps.similarity.index.SimilarityIndex;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** {@code SIM.*}: which of many documents are like this one, by MinHash signatures. */
final class SimilarityCommands {
    /*
     * A document is a text, compared by its shingles, or a set of items, compared by their hashes; an index may hold both, and they
     * never match each other. The value is the library's index, whose bytes are those of a file of it.
     *
     * An index that grows joins its parts: old and new are in memory at once, so that twice its size must be free.
     */
    private static final String GROUP = "sim";
    private static final int DEFAULT_COMPONENTS = 128;
    private static final int MAX_COMPONENTS = 1_024;
    private static final int MAX_SHINGLE = 100;
    private static final int MAX_ID_BYTES = 255;
    private static final int MAX_TEXT_BYTES = 1 << 20;
    private static final int DEFAULT_COUNT = 10;
    private static final int MAX_COUNT = 10_000;
    private static final int MAX_CLUSTERS = 1_000;
    private static final int MAX_CLUSTER_IDS = 100;
    private static final int MAX_CLUSTERED = 20_000;
    private static final long MAX_PAIRS = 10_000_000;

    /** Removed documents take memory until there are as many of them as others, and at least this many. */
    private static final int LEAST_REMOVED = 1_000;

    private SimilarityCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "SIM.RESERVE key [THRESHOLD similarity] [RECALL probability] [COMPONENTS components] [CHARS size] [WORDS size]",
                "Creates an index of documents that are to be found from this similarity on.",
                Keys.ONE,
                SimilarityCommands::reserve,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "SIM.ADD key id type value [value ...]",
                "Adds a document: TEXT and a text, or SET and its items. Returns whether the id is new; if not, nothing changes.",
                Keys.ONE,
                SimilarityCommands::add,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "SIM.QUERY key [COUNT count] [THRESHOLD similarity] type value [value ...]",
                "Returns the ids and similarities of the documents that are most like a TEXT, a SET, or the one with an ID.",
                Keys.ONE,
                SimilarityCommands::query,
                Flag.READONLY);
        table.add(
                GROUP,
                "SIM.REM key id [id ...]",
                "Removes documents; returns their number.",
                Keys.ONE,
                SimilarityCommands::remove,
                Flag.WRITE);
        table.add(
                GROUP,
                "SIM.CLUSTERS key [COUNT count] [THRESHOLD similarity]",
                "Returns the largest groups of documents that similar pairs connect: the size of each, and its first 100 ids.",
                Keys.ONE,
                SimilarityCommands::clusters,
                Flag.READONLY);
        table.add(
                GROUP,
                "SIM.INFO key",
                "Describes an index of documents.",
                Keys.ONE,
                SimilarityCommands::info,
                Flag.READONLY,
                Flag.FAST);
    }

    private static SimilarityIndex existing(Call call) {
        return OwnSketches.<SimilarityIndex>existing(call, 1, SimilarityIndex.class);
    }

    // Words

    private static double similarity(Call call, int i) {
        double value = i < call.count() ? WireNumbers.real(call.word(i)).orElse(0) : 0;
        if (!(value > 0 && value <= 1)) {
            throw new CommandError("ERR the threshold must be in the range (0, 1]");
        }
        return value;
    }

    private static int number(Call call, int i, String name, int most) {
        long value = i < call.count() ? Numbers.orElse(call.word(i), 0) : 0;
        if (value < 1 || value > most) {
            throw new CommandError("ERR " + name + " must be in the range [1, " + most + "]");
        }
        return (int) value;
    }

    private static String id(Call call, int i) {
        byte[] word = call.word(i);
        String id = call.text(i);
        if (word.length == 0
                || word.length > MAX_ID_BYTES
                || !Arrays.equals(id.getBytes(StandardCharsets.UTF_8), word)) {
            throw new CommandError("ERR an id has 1 to " + MAX_ID_BYTES + " bytes of UTF-8");
        }
        return id;
    }

    /** The hashes of a document, whose type is the word at this place. */
    private static long[] document(Call call, int i, SimilarityIndex index) {
        Key<?> key = index.minHash().key();
        if (call.is(i, "SET")) {
            if (i + 1 >= call.count()) {
                throw call.arity();
            }
            return OwnSketches.hashes(index.shingles().isPresent() ? Key.bytes().seeded(key.seed()) : key, call, i + 1);
        }
        if (!call.is(i, "TEXT")) {
            throw new CommandError(CommandError.SYNTAX);
        }
        if (call.count() != i + 2) {
            throw call.arity();
        }
        if (call.word(i + 1).length > MAX_TEXT_BYTES) {
            throw new CommandError("ERR a text has at most " + MAX_TEXT_BYTES + " bytes");
        }
        Shingles shingles =
                index.shingles().orElseThrow(() -> new CommandError("ERR this index has no shingles: use SET"));
        return shingles.hashes(call.text(i + 1));
    }

    // Commands

    private static void reserve(Call call) {
        if (call.count() % 2 != 0) {
            throw call.arity();
        }
        double threshold = 0.8;
        double recall = 0.99;
        int components = DEFAULT_COMPONENTS;
        Shingles shingles = Shingles.codePoints();
        for (int i = 2; i < call.count(); i += 2) {
            switch (call.upper(i)) {
                case "THRESHOLD" -> threshold = similarity(call, i + 1);
                case "RECALL" -> {
                    recall = WireNumbers.real(call.word(i + 1)).orElse(0);
                    if (!(recall > 0 && recall < 1)) {
                        throw new CommandError("ERR recall must be in the range (0.000000, 1.000000)");
                    }
                }
                case "COMPONENTS" -> components = number(call, i + 1, "components", MAX_COMPONENTS);
                case "CHARS" ->
                    shingles = Shingles.codePoints(number(call, i + 1, "the size of a shingle", MAX_SHINGLE));
                case "WORDS" -> shingles = Shingles.words(number(call, i + 1, "the size of a shingle", MAX_SHINGLE));
                default -> throw new CommandError(CommandError.SYNTAX);
            }
        }
        OwnSketches.refuseExisting(call);
        SimilarityIndex index;
        try {
            Key<CharSequence> key = shingles.seeded(call.database().seed()).key();
            index = SimilarityIndex.of(MinHash.of(components).of(key))
                    .bands(Banding.of(components).threshold(threshold).recall(recall), recall)
                    .build();
        } catch (IllegalArgumentException e) {
            throw new CommandError("ERR could not create index: " + e.getMessage());
        }
        OwnSketches.create(call, SketchValue.OBJECT_BYTES, () -> index);
        call.reply().ok();
    }

    private static void add(Call call) {
        SimilarityIndex index = existing(call);
        String id = id(call, 2);
        long[] hashes = document(call, 3, index);
        if (index.contains(id)) {
            call.reply().bool(false);
            return;
        }
        long now = index.sizeBytes();
        long more = bytesOf(index, call.word(2).length, hashes.length);
        call.reserve(now + more, now + more, Database.OUT_OF_MEMORY);
        call.change(call.key(1), () -> index.add(id, hashes));
        call.reply().bool(true);
    }

    /** At most what a document takes: see the index. */
    private static long bytesOf(SimilarityIndex index, int idBytes, int hashes) {
        long perComponent = 2;
        long perBand = Integer.BYTES;
        long fixed = 96;
        return fixed
                + perComponent * index.banding().components()
                + 2 * perBand * (index.banding().bands() + 2)
                + idBytes
                + (index.isExact() ? (long) Long.BYTES * hashes : 0);
    }

    private static void query(Call call) {
        SimilarityIndex index = existing(call);
        double threshold = index.banding().threshold();
        int count = DEFAULT_COUNT;
        int i = 2;
        while (i < call.count() && (call.is(i, "COUNT") || call.is(i, "THRESHOLD"))) {
            if (call.is(i, "COUNT")) {
                count = number(call, i + 1, "count", MAX_COUNT);
            } else {
                threshold = similarity(call, i + 1);
            }
            i += 2;
        }
        if (i >= call.count()) {
            throw call.arity();
        }
        List<DocumentIndex.Match> matches;
        if (call.is(i, "ID")) {
            if (call.count() != i + 2) {
                throw call.arity();
            }
            String id = id(call, i + 1);
            if (!index.contains(id)) {
                throw new CommandError("ERR no such id");
            }
            matches = index.query(id, threshold, count);
        } else {
            matches = index.query(document(call, i, index), threshold, count);
        }
        call.reply().array(matches.size());
        for (DocumentIndex.Match match : matches) {
            call.reply().array(2);
            call.reply().bulk(match.name());
            call.reply().number(match.jaccard());
        }
    }

    private static void remove(Call call) {
        SimilarityIndex index = existing(call);
        List<String> ids = new ArrayList<>();
        for (int i = 2; i < call.count(); i++) {
            ids.add(id(call, i));
        }
        int[] removed = new int[1];
        call.change(call.key(1), () -> {
            removed[0] = index.removeAll(ids);
            return removed[0] > 0;
        });
        if (index.removed() >= Math.max(LEAST_REMOVED, index.size())) {
            KeyEntry entry = call.find(1);
            long expires = entry == null ? KeyEntry.NEVER : entry.expiresAtMillis();
            call.put(call.key(1), new SketchValue(index.copy())).expiresAtMillis(expires);
        }
        call.reply().integer(removed[0]);
    }

    private static void clusters(Call call) {
        if (call.count() % 2 != 0) {
            throw call.arity();
        }
        SimilarityIndex index = existing(call);
        double threshold = index.banding().threshold();
        int count = DEFAULT_COUNT;
        for (int i = 2; i < call.count(); i += 2) {
            if (call.is(i, "COUNT")) {
                count = number(call, i + 1, "count", MAX_CLUSTERS);
            } else if (call.is(i, "THRESHOLD")) {
                threshold = similarity(call, i + 1);
            } else {
                throw new CommandError(CommandError.SYNTAX);
            }
        }
        if (index.size() + index.removed() > MAX_CLUSTERED) {
            throw new CommandError("ERR groups are found among at most " + MAX_CLUSTERED
                    + " documents: save the index, and use perhaps dedup");
        }
        List<List<String>> clusters = index.clusters(threshold, MAX_PAIRS)
                .orElseThrow(() -> new CommandError(
                        "ERR more than " + MAX_PAIRS + " pairs are alike: raise the threshold of the index"));
        List<List<String>> largest = clusters.subList(0, Math.min(count, clusters.size()));
        call.reply().array(largest.size());
        for (List<String> cluster : largest) {
            List<String> ids = cluster.subList(0, Math.min(MAX_CLUSTER_IDS, cluster.size()));
            call.reply().array(2);
            call.reply().integer(cluster.size());
            call.reply().array(ids.size());
            ids.forEach(call.reply()::bulk);
        }
    }

    private static void info(Call call) {
        SimilarityIndex index = existing(call);
        ReplyWriter reply = call.reply();
        reply.map(8);
        CuckooCommands.fact(reply, "Documents", index.size());
        CuckooCommands.fact(reply, "Size", SketchValue.OBJECT_BYTES + index.sizeBytes());
        reply.simple("Threshold");
        reply.number(index.banding().threshold());
        reply.simple("Recall");
        reply.number(index.recall());
        CuckooCommands.fact(reply, "Components", index.banding().components());
        CuckooCommands.fact(reply, "Bands", index.banding().bands());
        reply.simple("Items");
        reply.bulk(index.minHash().key().name());
        reply.simple("Standard error");
        reply.number(
                index.isExact()
                        ? 0
                        : index.minHash().standardError(index.banding().threshold()));
    }
}
