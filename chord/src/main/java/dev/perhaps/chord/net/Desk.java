package dev.perhaps.chord.net;

import dev.perhaps.web.Role;
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

    private record Seat(Role needed, Clerk clerk) {}

    private final Consumer<String> log;
    private final Map<Integer, Seat> seats = new ConcurrentHashMap<>();
    private volatile Supplier<Map<String, Long>> load = TreeMap::new;
    private volatile Supplier<Map<String, String>> gone = TreeMap::new;

    Desk(Consumer<String> log) {
        this.log = log;
    }

    /** From now on, questions of this type are answered to whoever may ask them. */
    public void answer(int type, Role needed, Clerk clerk) {
        seats.put(type, new Seat(needed, clerk));
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

    /** Answers the next question of a line. False if the line is over. */
    boolean answerOne(ChannelLine line) {
        try {
            Frame question = line.receive();
            Seat seat = seats.get(question.type());
            if (seat == null) {
                throw new BadFrame("there is no question of type " + question.type());
            }
            try {
                check(line.session(), seat.needed);
                seat.clerk.answer(question, line);
            } catch (EOFException | BadFrame e) {
                throw e;
            } catch (IOException e) {
                // Its trouble with others. If it is trouble with this caller, nobody hears of it.
                line.send(new Failure(String.valueOf(e.getMessage())).frame());
            }
            return true;
        } catch (EOFException e) {
            return false; // it has heard what it wanted
        } catch (IOException | RuntimeException e) {
            log.accept("a caller: " + e.getMessage());
            return false;
        }
    }

    private static void check(Session session, Role needed) throws Failure {
        if (!session.roles().contains(needed)) {
            String proof =
                    session.holder().contains("=") ? "certificate" : "secret"; // that of a certificate is a subject
            throw new Failure("the " + proof + " of " + session.holder() + " does not allow this: it needs that of "
                    + (needed == Role.PEER ? "the cluster" : Secret.withArticle(needed)));
        }
    }
}
