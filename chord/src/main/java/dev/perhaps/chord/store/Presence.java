package dev.perhaps.chord.store;

import dev.perhaps.chord.net.BadFrame;
import dev.perhaps.chord.net.BodyReader;
import dev.perhaps.chord.net.BodyWriter;
import dev.perhaps.chord.net.Frame;
import dev.perhaps.io.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which peers may have files: those that are here, in contrast to those that have left in order or were given up for good.
 * Kept over restarts. Safe for many threads.
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
     * given up, or that somebody with its address has been here more often. When it was given up with a number since which
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

        BodyWriter write(BodyWriter body) {
            return body.text(address).i64(number).u8(State.BY_NUMBER.indexOf(state));
        }

        static Word read(BodyReader body) throws BadFrame {
            String address = body.text();
            long number = body.i64();
            int state = body.u8();
            if (number < 0 || state >= State.BY_NUMBER.size()) {
                throw new BadFrame("there is no such word about a peer: " + number + ", " + state);
            }
            return new Word(address, number, State.BY_NUMBER.get(state));
        }
    }

    /** What one peer has heard of all. */
    record Heard(long floor, List<Word> words) {
        static Heard read(BodyReader body) throws BadFrame {
            long floor = body.i64();
            int size = body.u16();
            if (size > MOST_TOLD) {
                throw new BadFrame("at most " + MOST_TOLD + " peers are told of, got " + size);
            }
            List<Word> words = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                words.add(Word.read(body));
            }
            body.end();
            return new Heard(floor, words);
        }
    }

    private static final int MOST_KEPT = 10_000;

    /** With addresses of up to 50 letters they fit into a frame. */
    private static final int MOST_TOLD = 1_000;

    private final Path file;
    private final String self;
    private final Map<String, Word> words = new TreeMap<>();
    private long floor;
    private long number;
    private long trusted = 1;

    private Presence(Path file, String self) {
        this.file = file;
        this.self = self;
    }

    /** Reads what was written down, and counts one more coming of this peer. */
    static Presence open(Path file, String self) throws IOException {
        Presence presence = new Presence(file, self);
        if (Files.exists(file)) {
            try {
                for (String line : Files.readAllLines(file)) {
                    presence.read(line.split(" ", 3));
                }
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                throw new IOException(file + ": it was not written by a peer: " + e.getMessage(), e);
            }
        }
        presence.come(presence.number + 1);
        return presence;
    }

    private void read(String[] parts) {
        if (parts[0].equals("floor")) {
            floor = Long.parseLong(parts[1]);
        } else if (parts[0].equals("self")) {
            number = Long.parseLong(parts[1]);
            trusted = Long.parseLong(parts[2]);
        } else {
            State state = State.valueOf(parts[1].toUpperCase(Locale.ROOT));
            words.put(parts[2], new Word(parts[2], Long.parseLong(parts[0]), state));
        }
    }

    private void write() throws IOException {
        List<String> lines = new ArrayList<>(List.of("floor " + floor, "self " + number + " " + trusted));
        words.values().stream()
                .filter(word -> !word.address().equals(self))
                .forEach(word -> lines.add(
                        word.number() + " " + word.state().name().toLowerCase(Locale.ROOT) + " " + word.address()));
        byte[] bytes = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
        WholeFile.write(file, out -> out.write(bytes));
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

    /** True if the word says that this peer was given up: what it has may have been deleted since. */
    synchronized boolean isGivenUp(Word word) {
        return word.address().equals(self) && word.state() == State.FORGOTTEN && word.number() >= trusted;
    }

    /** Takes in a word; what is older than what is known changes nothing. */
    synchronized void hear(Word word) throws IOException {
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
        boolean isNews = before == null ? words.size() < MOST_KEPT : word.isLaterThan(before);
        if (isNews && word.address().indexOf('\n') < 0) {
            words.put(word.address(), word);
            write();
        }
    }

    /** No generation up to this is given again. */
    synchronized void raise(long generation) throws IOException {
        if (generation > floor) {
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

    /** The latest of what several have heard, by address. */
    static void merge(Map<String, Word> into, List<Word> more) {
        for (Word word : more) {
            into.merge(word.address(), word, (a, b) -> b.isLaterThan(a) ? b : a);
        }
    }

    /** All of it in a frame; if it is too much, those that are gone first. */
    synchronized Frame frame() {
        List<Word> all = new ArrayList<>(words.values());
        all.sort((a, b) -> Boolean.compare(b.isGone(), a.isGone()));
        List<Word> some = all.subList(0, Math.min(MOST_TOLD, all.size()));
        BodyWriter body = new BodyWriter().i64(floor).u16(some.size());
        some.forEach(word -> word.write(body));
        return body.frame(Calls.HEARD);
    }
}
