package dev.perhaps.server.command;

import dev.perhaps.frequency.CountMin;
import dev.perhaps.frequency.SlidingCounts;
import dev.perhaps.frequency.SlidingTopK;
import dev.perhaps.frequency.TopK;
import dev.perhaps.key.Key;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.SketchValue;
import dev.perhaps.server.wire.ReplyWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What {@code CMS.*} and {@code TOPK.*} do with keys that have a window: structures of the library that forget. */
final class WindowCommands {
    /*
     * Nothing moves a window but the time of a call, Call.now, which is in the log with it: what is replayed forgets what it forgot
     * before. Questions do not move it, they ask as of their time. A clock that is set back counts on at the newest time so far,
     * so that nothing becomes too late to be counted.
     */

    /** The most items of a list, 6 kB each: with more of them it would take longer than a command may to read it. */
    static final int MAX_K = 25_000;

    /** The steps of adding an item to a list, with its share of evicting others. */
    private static final int ADD_STEPS = 16;

    /** The steps of merging a counter of one pane into those of all. */
    private static final int MERGE_STEPS = 48;

    /** What merging takes: the list of all panes, the entries of two lists, and per item what is returned. */
    private static final int MERGED_PANES = 6;

    private static final int RANKED_BYTES = 256;
    private static final String TOO_MANY = "CMS: INCRBY overflow";

    private WindowCommands() {}

    private static <S> @Nullable S sketch(@Nullable KeyEntry entry, Class<S> type) {
        return entry != null && entry.value() instanceof SketchValue value && type.isInstance(value.sketch())
                ? type.cast(value.sketch())
                : null;
    }

    private static <S> S present(@Nullable S sketch) {
        if (sketch == null) {
            throw new IllegalStateException("it was there before");
        }
        return sketch;
    }

    private static long bytes(LongSupplier size, String error) {
        try {
            return size.getAsLong();
        } catch (IllegalArgumentException e) {
            throw new CommandError(error + ": " + e.getMessage());
        }
    }

    // Counts

    /** The counts with a window that a key holds, or null if it holds something else, or nothing. */
    static @Nullable SlidingCounts<?> counts(Call call, int i) {
        return sketch(call.find(i), SlidingCounts.class);
    }

    static void createCounts(Call call, long width, long depth, int cellBytes, long windowMillis) {
        if (width > Integer.MAX_VALUE || depth > Integer.MAX_VALUE) {
            throw new CommandError("CMS: invalid init arguments");
        }
        CountMin.Cells cells = switch (cellBytes) {
            case 1 -> CountMin.Cells.BITS_8;
            case 2 -> CountMin.Cells.BITS_16;
            case 4 -> CountMin.Cells.BITS_32;
            default -> CountMin.Cells.BITS_64;
        };
        SlidingCounts.Plan<byte[]> plan;
        try {
            plan = SlidingCounts.last(Duration.ofMillis(windowMillis))
                    .width((int) width)
                    .depth((int) depth)
                    .cells(cells)
                    .of(OwnSketches.key(call));
        } catch (IllegalArgumentException e) {
            throw new CommandError("CMS: invalid init arguments: " + e.getMessage());
        }
        long bytes = bytes(plan::sizeBytes, "CMS: invalid init arguments");
        call.reserve(bytes, bytes, "CMS: Insufficient memory to create the key");
        call.put(call.key(1), new SketchValue(plan.build()));
        call.reply().ok();
    }

    /** The steps of an estimate: the rows of all panes. */
    private static long steps(SlidingCounts<?> counts) {
        return counts.sizeBytes() / counts.sizing().bytes() * counts.sizing().depth();
    }

    static void increment(Call call) {
        SlidingCounts<?> counts = present(counts(call, 1));
        long at = Math.max(call.now(), counts.newestMillis());
        int pairs = call.count() / 2 - 1;
        // It is estimated before and after it is added.
        call.work(pairs, 1 + 2 * steps(counts));
        long[] hashes = new long[pairs];
        long[] increments = new long[pairs];
        long sum = 0;
        for (int i = 0; i < pairs; i++) {
            hashes[i] = OwnSketches.hash(counts.key(), call.word(2 + 2 * i));
            increments[i] = Numbers.orError(call.word(3 + 2 * i), "CMS: Cannot parse number");
            if (increments[i] < 0) {
                throw new CommandError("CMS: counts of a window cannot be lowered");
            }
            sum += increments[i];
            if (sum < 0) {
                throw new CommandError(TOO_MANY);
            }
        }
        // A counter stops at its limit, and would be too low from then on.
        long limit = counts.sizing().cells().limit();
        for (long hash : hashes) {
            if (sum > limit - Math.min(limit, counts.estimateHash(hash, at))) {
                throw new CommandError(TOO_MANY);
            }
        }
        if (sum > Long.MAX_VALUE - counts.total(at)) {
            throw new CommandError(TOO_MANY);
        }
        call.change(call.key(1), () -> {
            for (int i = 0; i < pairs; i++) {
                counts.addHash(hashes[i], increments[i], at);
            }
            return true;
        });
        call.reply().array(pairs);
        for (long hash : hashes) {
            call.reply().integer(counts.estimateHash(hash));
        }
    }

    static void queryCounts(Call call) {
        SlidingCounts<?> counts = present(counts(call, 1));
        call.work(call.count() - 2, steps(counts));
        call.reply().array(call.count() - 2);
        for (int i = 2; i < call.count(); i++) {
            call.reply().integer(counts.estimateHash(OwnSketches.hash(counts.key(), call.word(i)), call.now()));
        }
    }

    /** Makes the first key the sum of the others, as without a window. */
    @SuppressWarnings("unchecked") // only hashes are asked for and merged
    static void mergeCounts(Call call, int sources, boolean isWeighted) {
        if (isWeighted) {
            throw new CommandError("CMS: sketches with a window have no weights");
        }
        SlidingCounts<Object> into = (SlidingCounts<Object>) present(counts(call, 1));
        SlidingCounts<Object> sum = null;
        OwnSketches.workOfMerge(call, sources, into.sizeBytes() / Long.BYTES);
        call.reserve(into.sizeBytes(), into.sizeBytes(), Database.OUT_OF_MEMORY);
        for (int i = 0; i < sources; i++) {
            KeyEntry entry = call.find(3 + i);
            if (entry == null) {
                throw new CommandError("CMS: key does not exist");
            }
            SlidingCounts<Object> source = (SlidingCounts<Object>) sketch(entry, SlidingCounts.class);
            if (source == null) {
                throw new CommandError(CommandError.WRONG_TYPE);
            }
            if (!into.fits(source)) {
                throw new CommandError(OwnSketches.DIFFERENT + call.text(3 + i));
            }
            if (sum == null) {
                sum = source.copy();
                continue;
            }
            if (source.total() > Long.MAX_VALUE - sum.total() || source.late() > Long.MAX_VALUE - sum.late()) {
                throw new CommandError("CMS: MERGE overflow");
            }
            sum.merge(source);
        }
        KeyEntry entry = call.find(1);
        long expires = entry == null ? KeyEntry.NEVER : entry.expiresAtMillis();
        call.put(call.key(1), new SketchValue(present(sum))).expiresAtMillis(expires);
        call.reply().ok();
    }

    static void describeCounts(Call call) {
        SlidingCounts<?> counts = present(counts(call, 1));
        CountMin.Sizing sizing = counts.sizing();
        ReplyWriter reply = call.reply();
        reply.map(5);
        CuckooCommands.fact(reply, "width", sizing.width());
        CuckooCommands.fact(reply, "depth", sizing.depth());
        CuckooCommands.fact(reply, "count", counts.total(call.now()));
        CuckooCommands.fact(reply, "cell size", sizing.cells().bits() / Byte.SIZE);
        CuckooCommands.fact(reply, "window", counts.window().toMillis());
    }

    // Top lists

    /** The list with a window that a key holds, or null if it holds something else, or nothing. */
    @SuppressWarnings("unchecked") // its key says what its values are
    static @Nullable SlidingTopK<byte[]> top(Call call) {
        SlidingTopK<?> top = sketch(call.find(1), SlidingTopK.class);
        if (top != null && !(top.key() instanceof Key.Bytes)) {
            throw new CommandError(
                    "TopK: the items of this key are '" + top.key().name() + "': commands know items that are texts");
        }
        return (SlidingTopK<byte[]>) top;
    }

    static void createTop(Call call, long k, long windowMillis) {
        if (k > MAX_K) {
            throw new CommandError("TopK: k must be in the range [1, " + MAX_K + "] with a window");
        }
        SlidingTopK.Plan<byte[]> plan =
                SlidingTopK.last(Duration.ofMillis(windowMillis)).k((int) k).of(OwnSketches.key(call));
        long bytes = plan.sizeBytes();
        call.reserve(bytes, bytes, "ERR Insufficient memory to create topk data structure");
        call.put(call.key(1), new SketchValue(plan.build()));
        call.reply().ok();
    }

    /** Adds items; what leaves the list is not known before the list is asked for, so that nothing is returned for each. */
    static void addAll(Call call, int step, long[] increments) {
        SlidingTopK<byte[]> top = present(top(call));
        call.work(increments.length, ADD_STEPS);
        long at = Math.max(call.now(), top.newestMillis());
        long bytes = 0;
        long sum = 0;
        for (int i = 0; i < increments.length; i++) {
            bytes += SketchValue.OBJECT_BYTES + call.word(2 + step * i).length;
            sum += increments[i];
        }
        if (sum > Long.MAX_VALUE - top.total(at)) {
            throw new CommandError("TopK: the counters are full");
        }
        call.reserve(bytes, top.sizeBytes() + top.valueBytes() + bytes, Database.OUT_OF_MEMORY);
        call.change(call.key(1), () -> {
            for (int i = 0; i < increments.length; i++) {
                top.add(call.word(2 + step * i), increments[i], at);
            }
            return true;
        });
        call.reply().array(increments.length);
        for (int i = 0; i < increments.length; i++) {
            call.reply().nil();
        }
    }

    /** The list as of now: that of all panes, merged. */
    private static List<TopK.Ranked<byte[]>> merged(Call call) {
        SlidingTopK<byte[]> top = present(top(call));
        call.workOfPart(MERGE_STEPS * panes(top) * top.capacity(), "make a list with a smaller k");
        long bytes = MERGED_PANES * (top.sizeBytes() / panes(top)) + (long) RANKED_BYTES * top.k();
        call.reserve(bytes, 0, Database.OUT_OF_MEMORY);
        return top.top(call.now());
    }

    private static long panes(SlidingTopK<?> top) {
        return top.panes() + 1L;
    }

    static void queryTop(Call call) {
        Set<ByteBuffer> items = new HashSet<>();
        merged(call).forEach(item -> items.add(ByteBuffer.wrap(item.value())));
        call.reply().array(call.count() - 2);
        for (int i = 2; i < call.count(); i++) {
            call.reply().bool(items.contains(ByteBuffer.wrap(call.word(i))));
        }
    }

    static void countTop(Call call) {
        SlidingTopK<byte[]> top = present(top(call));
        call.work(call.count() - 2, panes(top));
        call.reply().array(call.count() - 2);
        for (int i = 2; i < call.count(); i++) {
            call.reply().integer(top.atMost(call.word(i), call.now()));
        }
    }

    static void list(Call call, boolean hasCounts) {
        List<TopK.Ranked<byte[]>> items = merged(call);
        call.reply().array(items.size() * (hasCounts ? 2 : 1));
        for (TopK.Ranked<byte[]> item : items) {
            call.reply().bulk(item.value());
            if (hasCounts) {
                call.reply().integer(item.atMost());
            }
        }
    }

    static void describeTop(Call call) {
        SlidingTopK<byte[]> top = present(top(call));
        ReplyWriter reply = call.reply();
        reply.map(5);
        CuckooCommands.fact(reply, "k", top.k());
        CuckooCommands.fact(reply, "counters", top.capacity());
        CuckooCommands.fact(reply, "count", top.total(call.now()));
        CuckooCommands.fact(reply, "too high by at most", top.missed(call.now()));
        CuckooCommands.fact(reply, "window", top.window().toMillis());
    }
}
