package dev.perhaps.chord.store;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.wire.BadFrame;
import dev.perhaps.chord.wire.FrameReadBuffer;
import dev.perhaps.chord.wire.WireFrame;
import java.util.ArrayList;
import java.util.List;

/** Parses and checks the requests about files: each is a function of the bytes of its frame. See docs/chord-wire.md. */
final class FileRequests {
    static final int MAX_PREFIXES = 128;
    static final int MAX_ENTRIES = 400;

    private FileRequests() {}

    /** Take this entry; from a caller, or a copy. */
    record Store(boolean first, StoreEntry entry) {
        static Store read(WireFrame frame) throws BadFrame {
            return all(frame, body -> new Store(body.flag(), StoreEntry.read(body)));
        }
    }

    /** Give me this file, from this chunk on. */
    record Fetch(Id key, long fromChunk) {
        private static final long MAX_CHUNK = FrameReadBuffer.MAX_FILE_BYTES / Shelf.CHUNK_BYTES;

        static Fetch read(WireFrame frame) throws BadFrame {
            return all(frame, body -> {
                Id key = body.id();
                long chunk = body.count();
                if (chunk > MAX_CHUNK) {
                    throw new BadFrame("no file is that long: chunk " + chunk);
                }
                return new Fetch(key, chunk);
            });
        }
    }

    /** Which of these do you not have? Of a name, only its key is sent. */
    record Compare(List<StoreEntry> entries) {
        static Compare read(WireFrame frame) throws BadFrame {
            return all(frame, body -> {
                int size = body.atMost(MAX_ENTRIES, body.u16());
                List<StoreEntry> entries = new ArrayList<>();
                for (int i = 0; i < size; i++) {
                    entries.add(new StoreEntry(
                            body.id(), "", body.id(), body.generation(), body.flag(), 0, StoreEntry.replicas(body)));
                }
                return new Compare(entries);
            });
        }
    }

    /** The hashes below these prefixes. */
    record Hashes(Range range, int replicas, List<Prefix> prefixes) {
        static Hashes read(WireFrame frame) throws BadFrame {
            return all(frame, body -> {
                Range range = new Range(body.id(), body.id());
                int replicas = StoreEntry.replicas(body);
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
    record Sweep(boolean drop, List<StoreEntry> marks) {
        static Sweep read(WireFrame frame) throws BadFrame {
            return all(frame, body -> {
                boolean drop = body.flag();
                int size = body.atMost(MAX_ENTRIES, body.u16());
                List<StoreEntry> marks = new ArrayList<>();
                for (int i = 0; i < size; i++) {
                    marks.add(
                            StoreEntry.file(body.id(), body.generation(), 0, 1).deleted());
                }
                return new Sweep(drop, marks);
            });
        }
    }

    /** Keep this file. The number of copies is checked with the ring, which may have fewer hosts. */
    record Put(Id key, long sizeBytes, int replicas) {
        static Put read(WireFrame frame) throws BadFrame {
            return all(frame, body -> new Put(body.id(), body.fileBytes(), body.u8()));
        }
    }

    /** A request to store a name for a file. */
    record Name(String name, Id target, int replicas) {
        static Name read(WireFrame frame) throws BadFrame {
            return all(frame, body -> new Name(body.name(), body.id(), body.u8()));
        }
    }

    static Id key(WireFrame frame) throws BadFrame {
        return all(frame, FrameReadBuffer::id);
    }

    static String name(WireFrame frame) throws BadFrame {
        return all(frame, FrameReadBuffer::name);
    }

    static String address(WireFrame frame) throws BadFrame {
        return all(frame, FrameReadBuffer::address);
    }

    static Presence.Word word(WireFrame frame) throws BadFrame {
        return all(frame, Presence.Word::read);
    }

    @CanIgnoreReturnValue
    static Boolean nothing(WireFrame frame) throws BadFrame {
        return all(frame, body -> true);
    }

    /** Reads a frame as the question that its type says. */
    static Object read(WireFrame frame) throws BadFrame {
        return switch (frame.type()) {
            case FrameTypes.STORE -> Store.read(frame);
            case FrameTypes.LOOK, FrameTypes.GET, FrameTypes.DELETE -> key(frame);
            case FrameTypes.FETCH -> Fetch.read(frame);
            case FrameTypes.COMPARE -> Compare.read(frame);
            case FrameTypes.HASHES -> Hashes.read(frame);
            case FrameTypes.PRESENCE -> word(frame);
            case FrameTypes.HEARD -> nothing(frame);
            case FrameTypes.SWEEP -> Sweep.read(frame);
            case FrameTypes.REACH, FrameTypes.FORGET -> address(frame);
            case FrameTypes.PUT -> Put.read(frame);
            case FrameTypes.NAME, FrameTypes.FREE -> Name.read(frame);
            case FrameTypes.NAMED -> name(frame);
            default -> throw new BadFrame("unknown request type " + frame.type());
        };
    }

    /** Returns the key, name or address of a request; empty if it has none. */
    static String subject(WireFrame frame) throws BadFrame {
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
        T of(FrameReadBuffer body) throws BadFrame;
    }

    /** Nothing may follow. */
    private static <T> T all(WireFrame frame, Reading<T> reading) throws BadFrame {
        FrameReadBuffer body = frame.read();
        T question = reading.of(body);
        body.end();
        return question;
    }
}
