package dev.perhaps.chord.net;

import java.io.EOFException;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Answers callers: each type of question has one who answers it, on the caller's thread. */
public final class Desk {
    /** How are you? Answered by a frame of the same type. */
    public static final int STATUS = 20;

    /** Who is on the ring? Answered by a {@link #STATUS} each, a {@link #UNREACHED} each, and {@link #END}. */
    public static final int RING = 21;

    public static final int UNREACHED = 22;
    public static final int END = 23;

    /** Instead of any answer: why there is none. */
    public static final int FAILED = 24;

    /** Who is responsible for a key? Answered by a frame of the same type. */
    public static final int OWNER = 25;

    /** Answers one question. */
    @FunctionalInterface
    public interface Clerk {
        void answer(Frame question, Line line) throws IOException;
    }

    private final Consumer<String> log;
    private final Map<Integer, Clerk> clerks = new ConcurrentHashMap<>();
    private volatile Supplier<Map<String, Long>> load = TreeMap::new;
    private volatile Supplier<Map<String, String>> gone = TreeMap::new;

    Desk(Consumer<String> log) {
        this.log = log;
    }

    public void answer(int type, Clerk clerk) {
        clerks.put(type, clerk);
    }

    /** What the peer carries, by name, for those who ask how it is. */
    public void load(Supplier<Map<String, Long>> figures) {
        load = figures;
    }

    Map<String, Long> load() {
        return load.get();
    }

    /** Peers that will not answer, by address, and why in a word. */
    public void gone(Supplier<Map<String, String>> words) {
        gone = words;
    }

    Map<String, String> gone() {
        return gone.get();
    }

    void serve(Line line) {
        try (line) {
            while (true) {
                Frame question = line.receive();
                Clerk clerk = clerks.get(question.type());
                if (clerk == null) {
                    throw new BadFrame("there is no question of type " + question.type());
                }
                try {
                    clerk.answer(question, line);
                } catch (EOFException | BadFrame e) {
                    throw e;
                } catch (IOException e) {
                    // Its trouble with others. If it is trouble with this caller, nobody hears of it.
                    line.send(new Failure(String.valueOf(e.getMessage())).frame());
                }
            }
        } catch (EOFException e) {
            // It has heard what it wanted.
            assert e.getMessage() != null;
        } catch (IOException | RuntimeException e) {
            log.accept("a caller: " + e.getMessage());
        }
    }
}
