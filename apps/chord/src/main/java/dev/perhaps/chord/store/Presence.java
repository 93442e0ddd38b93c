package dev.perhaps.chord.store;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.StateFile;
import dev.perhaps.chord.wire.BadFrame;
import dev.perhaps.chord.wire.FrameReadBuffer;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.WireFrame;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Which peers may have files: those that are present, not those that left in order or were forgotten for good. Survives
 * restarts. Thread-safe.
 */
final class Presence {
    /*
     *     DIR/presence
     *         floor 7                          no generation up to 7 is given again: see Sweep
     *         self 3 1                         how often this peer has come, and since when what it has counts
     *         2 left 10.0.0.7:7001             the peer there has left, when it had come for the second time
     *
     * Peers tell each other what they have heard; of two words about one peer the one with the higher number counts, and of
     * the same number the later state. Only the peer itself raises its number: when it starts, and when it hears that it was
     * given up, or that a peer with its address has started more often. When it was given up with a number since which
     * what it has counts, that does not count any more. No clock is asked.
     */
    enum State {
        HERE,
        LEFT,
        FORGOTTEN;

        /** As in docs/chord-wire.md; the order of the constants means nothing there. */
        private static final List<State> BY_NUMBER = List.of(HERE, LEFT, FORGOTTEN);
    }

    /** A word about a peer. */
    record Word(String address, long number, State state) {
        private boolean isLaterThan(Word other) {
            return number != other.number
                    ? number > other.number
                    : State.BY_NUMBER.indexOf(state) > State.BY_NUMBER.indexOf(other.state);
        }

        boolean isGone() {
            return state != State.HERE;
        }

        @CanIgnoreReturnValue
        FrameWriteBuffer write(FrameWriteBuffer body) {
            return body.text(address).i64(number).u8(State.BY_NUMBER.indexOf(state));
        }

        static Word read(FrameReadBuffer body) throws BadFrame {
            String address = body.address();
            long number = body.count();
            return new Word(address, number, State.BY_NUMBER.get(body.atMost(State.BY_NUMBER.size() - 1, body.u8())));
        }
    }

    /** What one peer knows of the presence of all. */
    record Heard(long floor, List<Word> words) {
        static Heard read(FrameReadBuffer body) throws BadFrame {
            long floor = body.count();
            int size = body.atMost(MAX_TOLD, body.u16());
            List<Word> words = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                words.add(Word.read(body));
            }
            return new Heard(floor, words);
        }
    }

    private static final int MAX_KEPT = 10_000;

    private static final int MAX_TOLD = 1_000;
    private static final int MAX_WORD_BYTES = Short.BYTES + HostPort.MAX_LETTERS + Long.BYTES + Byte.BYTES;
    private static final int HEAD_BYTES = Long.BYTES + Short.BYTES;

    /**
     * Numbers and floors rise by one. A peer that claims that one has risen by more than this lies, or is mistaken, and
     * is not believed: one word cannot bring a number near its limit, behind which nobody could be put, or come, any
     * more.
     */
    static final long MAX_RISE = 1L << 32;

    private final StateFile file;
    private final String self;
    private final Map<String, Word> words = new TreeMap<>();
    private long floor;
    private long number;
    private long trusted = 1;

    private Presence(StateFile file, String self) {
        this.file = file;
        this.self = self;
    }

    /** Reads what was written down, as far as it can be read, and counts one more coming of this peer. */
    static Presence open(Path file, String self, Consumer<String> log) throws IOException {
        Presence presence = new Presence(new StateFile(file, log), self);
        presence.file.read(line -> presence.read(line.split(" ", 3)));
        presence.come(presence.number + 1);
        return presence;
    }

    private void read(String[] parts) {
        if (parts[0].equals("floor")) {
            floor = count(parts[1]);
        } else if (parts[0].equals("self")) {
            number = count(parts[1]);
            trusted = count(parts[2]);
        } else {
            State state = State.valueOf(parts[1].toUpperCase(Locale.ROOT));
            String address = HostPort.of(parts[2]).toString();
            words.put(address, new Word(address, count(parts[0]), state));
        }
    }

    private static long count(String text) {
        long count = Long.parseLong(text);
        if (count < 0 || count > FrameReadBuffer.MAX_COUNT) {
            throw new IllegalArgumentException("out of range: " + text);
        }
        return count;
    }

    private void write() throws IOException {
        List<String> lines = new ArrayList<>(List.of("floor " + floor, "self " + number + " " + trusted));
        words.values().stream()
                .filter(word -> !word.address().equals(self))
                .forEach(word -> lines.add(
                        word.number() + " " + word.state().name().toLowerCase(Locale.ROOT) + " " + word.address()));
        file.write(lines);
    }

    private void come(long next) throws IOException {
        number = next;
        words.put(self, new Word(self, number, State.HERE));
        write();
    }

    /** What this peer says of itself while it is here. */
    synchronized Word here() {
        return new Word(self, number, State.HERE);
    }

    /** What it says when others have all it had. */
    synchronized Word left() {
        return new Word(self, number, State.LEFT);
    }

    /** Returns true if the word says that this peer was given up: what it has may have been deleted since. */
    synchronized boolean isGivenUp(Word word) {
        return word.address().equals(self)
                && word.state() == State.FORGOTTEN
                && word.number() >= trusted
                && word.number() <= number + MAX_RISE;
    }

    /** Takes in a word; what is older than what is known changes nothing. */
    synchronized void hear(Word word) throws IOException {
        long known =
                Optional.ofNullable(words.get(word.address())).map(Word::number).orElse(0L);
        if (word.number() > known + MAX_RISE) {
            return;
        }
        if (word.address().equals(self)) {
            long next = word.isLaterThan(here()) ? word.number() + 1 : number;
            if (isGivenUp(word)) {
                trusted = word.number() + 1;
                come(next);
            } else if (next > number) {
                come(next);
            }
            return;
        }
        Word before = words.get(word.address());
        boolean isNews = before == null ? words.size() < MAX_KEPT : word.isLaterThan(before);
        if (isNews) {
            words.put(word.address(), word);
            write();
        }
    }

    /** Returns true if a floor, or the generation of an entry, may be what it says. */
    synchronized boolean isPlausible(long generation) {
        return generation <= floor + MAX_RISE;
    }

    /** No generation up to this is given again. One that is not plausible changes nothing. */
    synchronized void raise(long generation) throws IOException {
        if (generation > floor && isPlausible(generation)) {
            floor = generation;
            write();
        }
    }

    synchronized long floor() {
        return floor;
    }

    /** All words, by address. */
    synchronized Map<String, Word> words() {
        return new LinkedHashMap<>(words);
    }

    /** Merges what several peers know: the latest counts, by address. */
    static void merge(Map<String, Word> into, Collection<Word> more) {
        for (Word word : more) {
            into.merge(word.address(), word, (a, b) -> b.isLaterThan(a) ? b : a);
        }
    }

    /** Returns all of it as a frame; if it is too much, those that have left first. */
    synchronized WireFrame frame() {
        List<Word> all = new ArrayList<>(words.values());
        all.sort((a, b) -> Boolean.compare(b.isGone(), a.isGone()));
        FrameWriteBuffer list = new FrameWriteBuffer();
        int told = 0;
        while (told < all.size()
                && told < MAX_TOLD
                && list.size() + MAX_WORD_BYTES < WireFrame.MAX_BYTES - HEAD_BYTES) {
            all.get(told++).write(list);
        }
        return new FrameWriteBuffer().i64(floor).u16(told).raw(list.bytes()).frame(FrameTypes.HEARD);
    }
}
