package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.wire.BadFrame;
import dev.perhaps.chord.wire.FrameStream;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.WireFrame;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Two peers with 100,000 entries find what one of them lacks, in few frames. */
class RangeComparisonTest {
    private static final int ENTRIES = 100_000;
    private static final Range ALL = new Range(MerkleTree.NOTHING, MerkleTree.NOTHING);

    private static StoreEntry entry(int i) {
        return StoreEntry.file(Id.hashOf("file" + i), 1, i, 3);
    }

    private static EntryIndex full() {
        EntryIndex index = new EntryIndex();
        for (int i = 0; i < ENTRIES; i++) {
            index.put(entry(i));
        }
        return index;
    }

    /** The other peer, without a network between: counts what would go over it. */
    private static final class Near implements FrameStream {
        private final EntryIndex index;
        private final Queue<WireFrame> answers = new ArrayDeque<>();
        private int questions;
        private long bytes;

        Near(EntryIndex index) {
            this.index = index;
        }

        @Override
        public void send(WireFrame question) throws IOException {
            questions++;
            bytes += question.body().length;
            FrameStream back = new FrameStream() {
                @Override
                public void send(WireFrame frame) {
                    bytes += frame.body().length;
                    answers.add(frame);
                }

                @Override
                public WireFrame receive() {
                    throw new AssertionError("nothing more is sent");
                }

                @Override
                public void close() {}
            };
            if (question.type() == FrameTypes.HASHES) {
                RangeComparison.answerHashes(index, question, back);
            } else {
                RangeComparison.answerMissing(this::holds, question, back);
            }
        }

        private boolean holds(StoreEntry wanted) {
            StoreEntry here = index.get(wanted.key());
            return here != null && !wanted.isNewerThan(here);
        }

        @Override
        public WireFrame receive() {
            return answers.remove();
        }

        @Override
        public void close() {}
    }

    private static Set<StoreEntry> lacking(EntryIndex ours, Near other, Range range) throws IOException {
        RemotePeer remote = new RemotePeer(other);
        Set<StoreEntry> lacking = new HashSet<>();
        List<StoreEntry> candidates = new RangeComparison(ours, range, 3).candidates(remote);
        RangeComparison.ask(remote, candidates, (asked, missing) -> lacking.addAll(missing));
        return lacking;
    }

    @Test
    void whatDiffersIsFoundInFewFramesAndNothingElse() throws Exception {
        EntryIndex ours = full();
        EntryIndex theirs = full();
        Near equal = new Near(theirs);
        assertThat(lacking(ours, equal, ALL)).isEmpty();
        assertThat(equal.questions).as("frames if all is equal").isEqualTo(1);
        assertThat(equal.bytes).isLessThan(500);

        Set<StoreEntry> expected = new HashSet<>();
        int[] numbers = {1, 10, 1_000};
        int[] mostFrames = {6, 9, 20};
        int[] mostBytes = {3_000, 30_000, 600_000};
        for (int i = 0; i < numbers.length; i++) {
            while (expected.size() < numbers[i]) {
                StoreEntry entry = entry(expected.size() * 97);
                if (expected.size() % 3 == 2) {
                    StoreEntry newer = StoreEntry.file(entry.key(), 2, entry.sizeBytes(), 3);
                    ours.put(newer);
                    expected.add(newer);
                } else {
                    theirs.remove(entry.key());
                    expected.add(entry);
                }
            }
            Near other = new Near(theirs);
            assertThat(lacking(ours, other, ALL)).isEqualTo(expected);
            assertThat(other.questions).as("frames for %d", numbers[i]).isLessThanOrEqualTo(mostFrames[i]);
            assertThat(other.bytes).as("bytes for %d", numbers[i]).isLessThanOrEqualTo(mostBytes[i]);
        }
        Near back = new Near(ours);
        assertThat(lacking(theirs, back, ALL))
                .as("the other way there is nothing to give")
                .isEmpty();
    }

    @Test
    void onlyTheRangeAndTheNumberOfCopiesCount() throws Exception {
        EntryIndex ours = full();
        EntryIndex theirs = full();
        Range range = new Range(Id.hashOf("from"), Id.hashOf("to"));
        List<StoreEntry> inside = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            theirs.remove(entry(i).key());
            if (range.contains(entry(i).key())) {
                inside.add(entry(i));
            }
            theirs.put(StoreEntry.file(Id.hashOf("few copies" + i), 1, i, 2));
        }
        assertThat(inside).hasSizeBetween(200, 1_990);
        Near other = new Near(theirs);
        assertThat(lacking(ours, other, range)).containsExactlyInAnyOrderElementsOf(inside);
        inside.forEach(theirs::put);
        Near now = new Near(theirs);
        assertThat(lacking(ours, now, range)).isEmpty();
        assertThat(now.questions).isEqualTo(1);
    }

    @Test
    void whoHasNothingIsGivenAllWithoutGoingDown() throws Exception {
        Near empty = new Near(new EntryIndex());
        assertThat(lacking(full(), empty, ALL)).hasSize(ENTRIES);
        assertThat(empty.questions).isEqualTo(1 + ENTRIES / 400);
    }

    @Test
    void whatIsNoQuestionIsRefused() {
        FrameWriteBuffer copies =
                new FrameWriteBuffer().id(ALL.from()).id(ALL.to()).u8(17).u16(0);
        FrameWriteBuffer prefixes =
                new FrameWriteBuffer().id(ALL.from()).id(ALL.to()).u8(3).u16(129);
        FrameWriteBuffer digits = new FrameWriteBuffer()
                .id(ALL.from())
                .id(ALL.to())
                .u8(3)
                .u16(1)
                .id(ALL.from())
                .u8(40);
        FrameWriteBuffer more =
                new FrameWriteBuffer().id(ALL.from()).id(ALL.to()).u8(3).u16(0).u8(0);
        for (FrameWriteBuffer body : List.of(copies, prefixes, digits, more, new FrameWriteBuffer())) {
            Near other = new Near(new EntryIndex());
            assertThatThrownBy(() -> other.send(body.frame(FrameTypes.HASHES))).isInstanceOf(BadFrame.class);
        }
        assertThatThrownBy(() -> new Near(new EntryIndex())
                        .send(new FrameWriteBuffer().u16(401).frame(FrameTypes.COMPARE)))
                .isInstanceOf(BadFrame.class);
    }
}
