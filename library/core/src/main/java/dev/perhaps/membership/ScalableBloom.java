package dev.perhaps.membership;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.hash.Mix;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.membership.bloom.BloomFormulas;
import dev.perhaps.membership.bloom.BloomKernel;
import dev.perhaps.membership.bloom.BloomShape;
import dev.perhaps.membership.bloom.BloomStage;
import dev.perhaps.membership.request.FilterRequest;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sizing;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A Bloom filter that grows: it never says "no" to an added value, and says "perhaps" to another value with at most the
 * planned probability, however many items are added. About as many bits per item as a {@link BloomFilter} up to the
 * planned number (9.8 at 1 %), 15 to 21 for 3 to 200 times as many, and twice that just after a stage was added. A
 * lookup queries every stage, of which each doubling adds one; an add may allocate the next. Any number of threads may
 * read it while none changes it.
 *
 * <pre>{@code
 * ScalableBloom<String> seen = ScalableBloom.expecting(10_000).falsePositives(0.01).build();
 * boolean isNew = seen.add("https://example.org/") == Added.ADDED;
 * }</pre>
 *
 * If the number of items is known: {@link BloomFilter}, which is smaller, faster and can be merged.
 */
public final class ScalableBloom<T> extends AbstractSketch implements HashFilter.Adds<T> {
    /*
     * A list of Bloom filters [1]. Items go to the newest until it is as full as planned; then the next is opened, for
     * twice as many items and with a smaller error. An item is "perhaps" there if it is in any of them.
     *
     *     stage 0   |1.11.1..|                            planned items          error f · a
     *     stage 1   |.11.1...1..1.11.|                    twice as many          error f · (1 − a) · ¼
     *     stage 2   |..1.........1.......1...........|    four times as many     error f · (1 − a) · ¼ · ¾
     *     stage i                                                                error f · (1 − a) · ¼ · ¾^(i−1)
     *
     * Promise. The errors add up to f over any number of stages. A stage is closed by its set bits, not by its items,
     * so each keeps its part for certain. errorNow() is 1 − Π(1 − s_i^k_i), from the set bits as they are.
     *
     * How f is shared. a is the first stage's part. Planned as known, a = 15/16: with the right number it takes 0.14
     * bits per item more than a Bloom filter (and a little spare, so that only one filter in a million opens a second
     * stage before its planned items are in). Planned as guessed(), a = 1/2: 1.4 bits more up to the number, but 2.5 to
     * 4 bits less per item beyond it. The rest is shared by quarters of what is left, r = 3/4: [1] recommends 0.8 to
     * 0.9, which pays for growth by more than a thousand times; r = 1/2 costs more from 15 times on. Bits per item at 1
     * %, all stages full:
     *
     *     times the planned items    1      3      7     15     63    255
     *     known                    9.7   15.4   17.4   18.5   20.0   21.2
     *     guessed                 11.0   13.0   13.8   14.5   15.7   16.9
     *
     * Positions. Each stage takes its own part of the sequence that BloomFilter describes, 257 steps from the next, so
     * that a value that is a false positive in one stage is not more likely to be one in the next.
     *
     * Lookups start at the newest stage: it holds half of all items. What is "perhaps" in any stage is PRESENT and not
     * added again.
     *
     * [1] Almeida, Baquero, Preguiça and Hutchison, "Scalable Bloom filters" (2007). We deviate in closing stages by
     * set bits with a spare, in the first stage's part, and in not slicing the bits into k parts.
     *
     * Left out: merging. Stages of one size hold different numbers of items on both sides, so their union would be
     * overfull; side by side, the promises of both would add up. Map: a file of several arrays. After 64 stages, or
     * when a stage cannot be addressed any more and is full, the answer is FULL.
     */
    static final long MIX = 0xC2B2AE3D27D4EB4FL;
    static final int MAX_STAGES = 64;

    private static final double KNOWN = 15.0 / 16;
    private static final double GUESSED = 0.5;
    private static final double TIGHTENING = 0.75;
    private static final int FIXED_PARAMETERS = 4;

    /** Planned by memory, one hash more is taken if it lowers the promised error by more than this. */
    private static final double WORTH_A_HASH = 0.01;

    /** How far the sum of parts of a whole may be off for rounding alone. */
    private static final double ROUNDING = 1e-9;

    private final Key<T> key;
    private final int salt;
    private final long mix;
    private final Sizing sizing;
    private final Promise promise;
    private final List<BloomStage> stages;

    ScalableBloom(Key<T> key, int salt, Sizing sizing, Promise promise, List<BloomStage> stages) {
        assert !stages.isEmpty();
        this.key = key;
        this.salt = salt;
        this.mix = Mix.salted(MIX, salt);
        this.sizing = sizing;
        this.promise = promise;
        this.stages = stages;
    }

    /** The error that is kept whatever comes, and the part of it that is the first stage's. */
    record Promise(double error, double first) {
        double ofStage(int number) {
            return number == 0
                    ? error * first
                    : error * (1 - first) * (1 - TIGHTENING) * Math.pow(TIGHTENING, number - 1);
        }
    }

    /** Starts a plan for this number of distinct items in the first stage; if more are added, the filter grows. */
    public static Plan<String> expecting(long items) {
        return new Plan<>(FilterRequest.forItems(items), KNOWN);
    }

    @Override
    public Kind kind() {
        return Kind.SCALABLE;
    }

    @Override
    public Key<T> key() {
        return key;
    }

    @Override
    public int salt() {
        return salt;
    }

    /** {@inheritDoc} That of the first stage. */
    @Override
    public Sizing sizing() {
        return sizing;
    }

    /** Returns the error that is never exceeded, however many items are added. */
    public double errorPromised() {
        return promise.error;
    }

    /** Returns the number of stages. */
    public int stages() {
        return stages.size();
    }

    @CanIgnoreReturnValue
    @Override
    public Added addHash(long hash) {
        return addHash(hash, Long.MAX_VALUE);
    }

    /**
     * Adds the item with this hash of the key; {@code FULL}, with nothing changed, if the filter would have to grow to
     * more than {@code maxBytes} bytes.
     */
    @CanIgnoreReturnValue
    public Added addHash(long hash, long maxBytes) {
        long x = Mix.with(mix, hash);
        BloomStage open = stages.get(stages.size() - 1);
        int missing = open.missing(x);
        if (missing == 0 || isIn(x, stages.size() - 2)) {
            return Added.PRESENT;
        }
        if (!open.hasRoomFor(missing) && !open.hasRoomFor(open.missingOnce(x))) {
            if (!openNext(maxBytes)) {
                return Added.FULL;
            }
            open = stages.get(stages.size() - 1);
        }
        open.add(x);
        return Added.ADDED;
    }

    /** {@inheritDoc} Stages after the first are freed. */
    @Override
    public void clear() {
        stages.subList(1, stages.size()).clear();
        stages.get(0).clear();
    }

    private boolean openNext(long maxBytes) {
        int number = stages.size();
        if (number == MAX_STAGES) {
            return false;
        }
        double error = promise.ofStage(number);
        double items = Math.scalb((double) sizing.items(), number);
        int hashes = BloomShape.hashesFor(items, error);
        double needed = Math.min(BloomFormulas.MAX_BITS, BloomFormulas.bitsForSure(items, hashes, error));
        BloomShape shape = new BloomShape(BloomShape.wholeWords(needed), hashes);
        if (BloomStage.mostSet(shape, error) < hashes || shape.bits() / Byte.SIZE > maxBytes - sizeBytes()) {
            return false;
        }
        stages.add(BloomStage.empty(number, shape, error));
        return true;
    }

    @Override
    public boolean mightContainHash(long hash) {
        return isIn(Mix.with(mix, hash), stages.size() - 1);
    }

    /** Asks the stages from number {@code newest} down. */
    private boolean isIn(long x, int newest) {
        for (int i = newest; i >= 0; i--) {
            if (stages.get(i).holds(x)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public int mightContainHashes(long[] hashesAsked, int from, int to, long[] answerBits) {
        HashBatch.begin(hashesAsked, from, to, answerBits);
        int found = 0;
        for (int at = from; at < to; at += 64) {
            int count = Math.min(64, to - at);
            long all = BloomKernel.all(count);
            long answers = 0;
            for (int stage = stages.size() - 1; stage >= 0 && answers != all; stage--) {
                answers |= stages.get(stage).holds64(mix, hashesAsked, at, count, all & ~answers);
            }
            answerBits[(at - from) >>> 6] = answers;
            found += Long.bitCount(answers);
        }
        return found;
    }

    @Override
    public double errorNow() {
        double none = 0;
        for (BloomStage stage : stages) {
            none += Math.log1p(-stage.error());
        }
        return -Math.expm1(none);
    }

    /**
     * The estimated number of distinct items, including those that were not added because an earlier stage had a false
     * positive.
     */
    @Override
    public long itemsNow() {
        double items = 0;
        double passed = 1;
        for (BloomStage stage : stages) {
            items += stage.items() / passed;
            passed *= 1 - stage.error();
        }
        return Math.round(items);
    }

    @Override
    public boolean isItemsEstimated() {
        return true;
    }

    @Override
    public double load() {
        double set = 0;
        double bits = 0;
        for (BloomStage stage : stages) {
            set += stage.setBits();
            bits += stage.bits();
        }
        return set / bits;
    }

    /** {@inheritDoc} Never true: the filter grows and keeps its error. */
    @Override
    public boolean overfilled() {
        return false;
    }

    @Override
    public ScalableBloom<T> copy() {
        List<BloomStage> copies = new ArrayList<>();
        for (int i = 0; i < stages.size(); i++) {
            copies.add(stages.get(i).copy(i));
        }
        return new ScalableBloom<>(key, salt, sizing, promise, copies);
    }

    @Override
    public long sizeBytes() {
        long bytes = 0;
        for (BloomStage stage : stages) {
            bytes += stage.sizeBytes();
        }
        return bytes;
    }

    @Override
    public long fileBytes() {
        return frame().fileBytes();
    }

    @Override
    public Description describe() {
        return HashFilter.Adds.super
                .describe()
                .share("errorPromised", promise.error)
                .count("stages", stages.size());
    }

    // Parameters in the file (docs/format.md): items planned, error planned, error promised, first stage's part of it;
    // then three of each stage. Payload: the words of the stages, the first stage first.
    private Frame frame() {
        long[] parameters = new long[FIXED_PARAMETERS + stages.size() * BloomStage.PARAMETERS];
        parameters[0] = sizing.items();
        parameters[1] = Double.doubleToRawLongBits(sizing.error());
        parameters[2] = Double.doubleToRawLongBits(promise.error);
        parameters[3] = Double.doubleToRawLongBits(promise.first);
        for (int i = 0; i < stages.size(); i++) {
            stages.get(i).describeTo(parameters, FIXED_PARAMETERS + i * BloomStage.PARAMETERS);
        }
        return Frame.of(Kind.SCALABLE, key, sizeBytes(), parameters).salted(salt);
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        frame().write(out, payload -> {
            for (BloomStage stage : stages) {
                stage.write(payload);
            }
        });
    }

    /** Opens a file; a file that was written with another key is refused with a {@code FormatException}. */
    public static <T> ScalableBloom<T> open(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> ScalableBloom<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> ScalableBloom<T> fromBytes(byte[] bytes, Key<T> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /** Reads what {@link #writeTo} wrote. */
    static <T> ScalableBloom<T> read(FrameReader in, Key<T> key) throws IOException {
        Frame frame = in.frame(Kind.SCALABLE, key);
        int count = frame.parameterCount() - FIXED_PARAMETERS;
        int number = count / BloomStage.PARAMETERS;
        boolean whole = count > 0 && count % BloomStage.PARAMETERS == 0;
        frame.require(whole && number <= MAX_STAGES, "parameters", frame.parameterCount());
        long items = frame.parameter(0);
        double error = frame.parameterAsDouble(1);
        Promise promise = new Promise(frame.parameterAsDouble(2), frame.parameterAsDouble(3));
        frame.require(items > 0, "planned items", items);
        frame.require(error > 0 && error <= 1, "planned error", error);
        frame.require(promise.error > 0 && promise.error < 1, "a promised error of", promise.error);
        frame.require(promise.first >= GUESSED && promise.first <= KNOWN, "a first part of", promise.first);
        List<BloomStage> stages = new ArrayList<>();
        double allowed = 0;
        for (int i = 0; i < number; i++) {
            int at = FIXED_PARAMETERS + i * BloomStage.PARAMETERS;
            allowed += BloomStage.errorAllowed(frame, at);
            double most = promise.error * (1 + ROUNDING) + number * Double.MIN_VALUE;
            frame.require(allowed <= most, "an error by its stages of", allowed);
            // Otherwise few bytes could announce many items, and the next stage would be made for them.
            frame.require(BloomStage.holdsPlanned(frame, at, Math.scalb((double) items, i)), "planned items", items);
            stages.add(BloomStage.read(in, i, at));
        }
        in.end();
        for (BloomStage stage : stages) {
            stage.check(frame);
        }
        Sizing sizing = new Sizing(Kind.SCALABLE, items, error, stages.get(0).sizeBytes(), 0);
        return new ScalableBloom<>(key, frame.salt(), sizing, promise, stages);
    }

    @Override
    public String toString() {
        return sizing + ", " + stages.size() + (stages.size() == 1 ? " stage" : " stages") + ", "
                + Figures.percent(load()) + " of the bits set, error now " + Figures.percent(errorNow());
    }

    /** The settings of a scalable Bloom filter; see {@link FilterPlan}. Memory limits the first stage. */
    public static final class Plan<T> implements FilterPlan.Fillable<T> {
        private final FilterRequest<T> asked;
        private final double first;

        private Plan(FilterRequest<T> asked, double first) {
            this.asked = asked;
            this.first = first;
        }

        @Override
        public Plan<T> falsePositives(double rate) {
            return new Plan<>(asked.falsePositives(rate), first);
        }

        @Override
        public Plan<T> memoryBytes(long max) {
            return new Plan<>(asked.memoryBytes(max), first);
        }

        @Override
        public <U> Plan<U> of(Key<U> key) {
            return new Plan<>(asked.of(key), first);
        }

        @Override
        public Plan<T> salt(int salt) {
            return new Plan<>(asked.salt(salt), first);
        }

        /**
         * Treats the number of items as a guess: half of the error, instead of a sixteenth, is reserved for items
         * beyond it.
         */
        public Plan<T> guessed() {
            return new Plan<>(asked, GUESSED);
        }

        @Override
        public Sizing sizing() {
            return sizing(shape());
        }

        private Sizing sizing(BloomShape shape) {
            double error = BloomFormulas.falsePositives(shape.bits(), shape.hashes(), asked.items());
            long bytes = BloomKernel.wordsFor(shape.bits()) * (long) Long.BYTES;
            return asked.within(new Sizing(Kind.SCALABLE, asked.items(), error, bytes, 0));
        }

        @Override
        public ScalableBloom<T> build() {
            BloomShape shape = shape();
            Sizing sizing = sizing(shape);
            Promise promise = promise(shape);
            List<BloomStage> stages = new ArrayList<>();
            stages.add(BloomStage.empty(0, shape, promise.ofStage(0)));
            return new ScalableBloom<>(asked.key(), asked.salt(), sizing, promise, stages);
        }

        private BloomShape shape() {
            if (asked.byMemory()) {
                BloomShape shape = bestPromise(BloomShape.bitsWithin(asked.memoryBytes()));
                if (!(promise(shape).error < 1)) {
                    throw new IllegalArgumentException(asked.memoryBytes() + " bytes are too few for a "
                            + Kind.SCALABLE + " for " + Figures.count(asked.items())
                            + " items: allow more memory");
                }
                return shape;
            }
            return BloomShape.forSure(
                    asked.items(), new Promise(asked.errorOrDefault(), first).ofStage(0), BloomFormulas.MAX_BITS);
        }

        /** As many hashes as make the promise small, and no more than bring it to what a hash of 64 bits can keep. */
        private BloomShape bestPromise(long bits) {
            int most = BloomShape.ofBits(bits, asked.items(), 0).hashes();
            BloomShape best = new BloomShape(bits, 1);
            double error = promise(best).error;
            for (int hashes = 2; hashes <= most && error > BloomShape.LEAST_ERROR; hashes++) {
                BloomShape next = new BloomShape(bits, hashes);
                double errorOfNext = promise(next).error;
                if (errorOfNext < error * (1 - WORTH_A_HASH)) {
                    best = next;
                    error = errorOfNext;
                }
            }
            return best;
        }

        private Promise promise(BloomShape shape) {
            if (!asked.byMemory()) {
                return new Promise(asked.errorOrDefault(), first);
            }
            // The last item needs room for all its bits, as if none of them coincided.
            double ofLast = (double) shape.hashes() / shape.bits();
            double before = BloomFormulas.setForSure(shape.bits(), shape.hashes(), asked.items() - 1.0);
            double set = Math.min(before + ofLast, ofLast * asked.items());
            // A bit more than that, or rounding could leave no room for the last item.
            double stage = Math.pow(Math.min(1, set + 1.0 / shape.bits()), shape.hashes());
            return new Promise(stage / first, first);
        }
    }
}
