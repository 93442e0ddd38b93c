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
import java.util.function.LongConsumer;

/** {@code SIM.*}: which of many documents are like this one, by MinHash signatures. */
final class SimilarityCommands {
    /*
     * A document is a text, compared by its shingles, or a set of items, compared by their hashes; an index may hold both, and they
     * never match each other. The value is the library's index, whose bytes are those of a file of it.
     *
     * An addition changes the index in place and takes what the document does. One in 256 joins parts of the index, old and new in
     * memory at once: for a moment as much again must be free as these parts take, at most 32 MiB.
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

    /** What hashing a text takes in memory per byte: its characters, and its hashes in four arrays. */
    private static final int HASHED_BYTES = 34;

    /** What a match takes in memory, with an id of 255 bytes; of those beyond the wanted number as many are kept again. */
    private static final int MATCH_BYTES = 2 * 640;

    /** What a document of a group takes in memory, with such an id. */
    private static final int GROUPED_BYTES = 704;

    /** The steps of finding an id: in every part of the index, and among those that were added last one by one. */
    private static final int FIND_STEPS = 2_048;

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

    /** The memory that hashing a document takes, whose type is the word at this place. */
    private static long hashingBytes(Call call, int i) {
        return (long) HASHED_BYTES * length(call, i);
    }

    /** The bytes of a text, if it is not refused as too long, or the number of items. */
    private static int length(Call call, int i) {
        return call.is(i, "TEXT") && i + 1 < call.count()
                ? Math.min(MAX_TEXT_BYTES, call.word(i + 1).length)
                : call.count();
    }

    /** The hashes of a document, whose type is the word at this place. */
    private static long[] document(Call call, int i, SimilarityIndex index) {
        Key<?> key = index.minHash().key();
        call.work(length(call, i), index.minHash().isClassic() ? index.banding().components() : 1);
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
        OwnSketches.create(call, new SketchValue(index).sizeBytes(), () -> index);
        call.reply().ok();
    }

    private static void add(Call call) {
        SimilarityIndex index = existing(call);
        String id = id(call, 2);
        long hashing = hashingBytes(call, 3);
        call.reserve(hashing, 0, Database.OUT_OF_MEMORY);
        long[] hashes = document(call, 3, index);
        if (index.contains(id)) {
            call.reply().bool(false);
            return;
        }
        int idBytes = call.word(2).length;
        long counted = SketchValue.bytesPerDocument(index);
        long growth = index.growthBytes(idBytes, hashes.length) + counted;
        long size = new SketchValue(index).sizeBytes() + index.additionBytes(idBytes, hashes.length) + counted;
        call.reserve(hashing + growth, size, Database.OUT_OF_MEMORY);
        call.change(call.key(1), () -> index.add(id, hashes));
        call.reply().bool(true);
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
        long matching = (long) MATCH_BYTES * Math.min(count, index.size());
        LongConsumer work = steps -> call.workOfPart(steps, "make an index with a higher threshold");
        List<DocumentIndex.Match> matches;
        if (call.is(i, "ID")) {
            if (call.count() != i + 2) {
                throw call.arity();
            }
            String id = id(call, i + 1);
            if (!index.contains(id)) {
                throw new CommandError("ERR no such id");
            }
            call.reserve(matching, 0, Database.OUT_OF_MEMORY);
            matches = index.query(id, threshold, count, work);
        } else {
            call.reserve(matching + hashingBytes(call, i), 0, Database.OUT_OF_MEMORY);
            matches = index.query(document(call, i, index), threshold, count, work);
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
        call.work(call.count() - 2, FIND_STEPS);
        List<String> ids = new ArrayList<>();
        for (int i = 2; i < call.count(); i++) {
            ids.add(id(call, i));
        }
        int[] removed = new int[1];
        call.change(call.key(1), () -> {
            removed[0] = index.removeAll(ids);
            return removed[0] > 0;
        });
        // Old and new are in memory at once; where that does not fit, a later removal makes room.
        if (index.removed() >= Math.max(LEAST_REMOVED, index.size()) && call.fits(index.sizeBytes(), 0)) {
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
        call.reserve((long) GROUPED_BYTES * (index.size() + index.removed()), 0, Database.OUT_OF_MEMORY);
        List<List<String>> clusters = index.clusters(
                threshold,
                steps -> call.workOfPart(steps, "make an index with a higher threshold, or use perhaps dedup"));
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
        CuckooCommands.fact(reply, "Size", new SketchValue(index).sizeBytes());
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
