package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.net.BadFrame;
import dev.perhaps.chord.net.BodyReader;
import dev.perhaps.chord.net.Frame;
import java.util.ArrayList;
import java.util.List;

/** The questions about files, read and checked: each is a function of the bytes of its frame. See docs/chord-wire.md. */
final class Questions {
    static final int MAX_PREFIXES = 128;
    static final int MAX_ENTRIES = 400;

    private Questions() {}

    /** Take this entry; from a caller, or a copy. */
    record Store(boolean first, Entry entry) {
        static Store read(Frame frame) throws BadFrame {
            return all(frame, body -> new Store(body.flag(), Entry.read(body)));
        }
    }

    /** Give me this file, from this chunk on. */
    record Fetch(Id key, long fromChunk) {
        private static final long MAX_CHUNK = BodyReader.MAX_FILE_BYTES / Shelf.CHUNK_BYTES;

        static Fetch read(Frame frame) throws BadFrame {
            return all(frame, body -> {
                Id key = body.id();
                long chunk = body.count();
                if (chunk > MAX_CHUNK) {
                    throw new BadFrame("no file has a chunk " + chunk);
                }
                return new Fetch(key, chunk);
            });
        }
    }

    /** Which of these do you not have? Of names only the key is told. */
    record Compare(List<Entry> entries) {
        static Compare read(Frame frame) throws BadFrame {
            return all(frame, body -> {
                int size = body.atMost(MAX_ENTRIES, body.u16());
                List<Entry> entries = new ArrayList<>();
                for (int i = 0; i < size; i++) {
                    entries.add(new Entry(
                            body.id(), "", body.id(), body.generation(), body.flag(), 0, Entry.replicas(body)));
                }
                return new Compare(entries);
            });
        }
    }

    /** The hashes below these prefixes. */
    record Hashes(Range range, int replicas, List<Prefix> prefixes) {
        static Hashes read(Frame frame) throws BadFrame {
            return all(frame, body -> {
                Range range = new Range(body.id(), body.id());
                int replicas = Entry.replicas(body);
                int size = body.atMost(MAX_PREFIXES, body.u16());
                List<Prefix> prefixes = new ArrayList<>();
                for (int i = 0; i < size; i++) {
                    prefixes.add(new Prefix(body.id(), body.atMost(Id.DIGITS - 1, body.u8())));
                }
                return new Hashes(range, replicas, prefixes);
            });
        }
    }

    /** Are these deletion marks needed, or drop them. */
    record Sweep(boolean drop, List<Entry> marks) {
        static Sweep read(Frame frame) throws BadFrame {
            return all(frame, body -> {
                boolean drop = body.flag();
                int size = body.atMost(MAX_ENTRIES, body.u16());
                List<Entry> marks = new ArrayList<>();
                for (int i = 0; i < size; i++) {
                    marks.add(Entry.file(body.id(), body.generation(), 0, 1).deleted());
                }
                return new Sweep(drop, marks);
            });
        }
    }

    /** Keep this file. The number of copies is checked with the ring, which may have fewer hosts. */
    record Put(Id key, long sizeBytes, int replicas) {
        static Put read(Frame frame) throws BadFrame {
            return all(frame, body -> new Put(body.id(), body.fileBytes(), body.u8()));
        }
    }

    /** Let this name stand for this file. */
    record Name(String name, Id target, int replicas) {
        static Name read(Frame frame) throws BadFrame {
            return all(frame, body -> new Name(body.name(), body.id(), body.u8()));
        }
    }

    static Id key(Frame frame) throws BadFrame {
        return all(frame, BodyReader::id);
    }

    static String name(Frame frame) throws BadFrame {
        return all(frame, BodyReader::name);
    }

    static String address(Frame frame) throws BadFrame {
        return all(frame, BodyReader::address);
    }

    static Presence.Word word(Frame frame) throws BadFrame {
        return all(frame, Presence.Word::read);
    }

    static Boolean nothing(Frame frame) throws BadFrame {
        return all(frame, body -> true);
    }

    /** Reads a frame as the question that its type says. */
    static Object read(Frame frame) throws BadFrame {
        return switch (frame.type()) {
            case Calls.STORE -> Store.read(frame);
            case Calls.LOOK, Calls.GET, Calls.DELETE -> key(frame);
            case Calls.FETCH -> Fetch.read(frame);
            case Calls.COMPARE -> Compare.read(frame);
            case Calls.HASHES -> Hashes.read(frame);
            case Calls.PRESENCE -> word(frame);
            case Calls.HEARD -> nothing(frame);
            case Calls.SWEEP -> Sweep.read(frame);
            case Calls.REACH, Calls.FORGET -> address(frame);
            case Calls.PUT -> Put.read(frame);
            case Calls.NAME, Calls.FREE -> Name.read(frame);
            case Calls.NAMED -> name(frame);
            default -> throw new BadFrame("there is no question of type " + frame.type());
        };
    }

    /** The key, name or address that a question is about; empty if it is about none. */
    static String subject(Frame frame) throws BadFrame {
        Object question = read(frame);
        if (question instanceof Put put) {
            return put.key.toString();
        } else if (question instanceof Name name) {
            return name.name;
        } else if (question instanceof Store store) {
            return store.entry.key().toString();
        } else if (question instanceof Fetch fetch) {
            return fetch.key.toString();
        }
        return question instanceof Id || question instanceof String ? question.toString() : "";
    }

    @FunctionalInterface
    private interface Reading<T> {
        T of(BodyReader body) throws BadFrame;
    }

    /** Nothing may follow. */
    private static <T> T all(Frame frame, Reading<T> reading) throws BadFrame {
        BodyReader body = frame.read();
        T question = reading.of(body);
        body.end();
        return question;
    }
}
