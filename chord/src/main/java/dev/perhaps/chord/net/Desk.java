package dev.perhaps.chord.net;

import dev.perhaps.web.Role;
import java.io.EOFException;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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

    /** A part of a file, in either direction. */
    public static final int CHUNK = 40;

    /** Answers one question. */
    @FunctionalInterface
    public interface Clerk {
        void answer(Frame question, Line line) throws IOException;
    }

    /** Reads what a question is about. */
    @FunctionalInterface
    public interface Subject {
        String of(Frame question) throws BadFrame;
    }

    private record Seat(String name, Role needed, Clerk clerk) {}

    private final Consumer<String> log;
    private final Map<Integer, Seat> seats = new ConcurrentHashMap<>();
    private volatile Subject subject = question -> "";
    private volatile @Nullable CommandLog commandLog;
    private volatile Supplier<Map<String, Long>> load = TreeMap::new;
    private volatile Supplier<Map<String, String>> gone = TreeMap::new;

    Desk(Consumer<String> log) {
        this.log = log;
    }

    /**
     * From now on, questions of this type are answered to whoever may ask them.
     *
     * @param name of the question in the log
     */
    public void answer(int type, String name, Role needed, Clerk clerk) {
        seats.put(type, new Seat(name, needed, clerk));
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

    /** Each command of a caller is written there from now on. */
    public void log(CommandLog to) {
        commandLog = to;
    }

    /** Lines that the log could not write. */
    public long droppedLines() {
        CommandLog to = commandLog;
        return to == null ? 0 : to.dropped();
    }

    /** How the log reads what questions are about that are not of this class. */
    public void subject(Subject reader) {
        subject = reader;
    }

    /** Answers the next question of a line. False if the line is over. */
    boolean answerOne(ChannelLine line) {
        try {
            Frame question = line.receive();
            CommandLog to = commandLog;
            if (to == null || line.session().use() != Session.Use.COMMANDS) {
                return answer(question, line).result() != CommandLog.Result.BROKEN;
            }
            long cameNanos = line.usedNanos();
            long before = line.contentBytes();
            CommandLog.Outcome outcome = answer(question, line);
            CommandLog.Command command =
                    new CommandLog.Command(nameOf(question), about(question), line.contentBytes() - before);
            to.add(line.remote(), line.session(), command, outcome, System.nanoTime() - cameNanos);
            return outcome.result() != CommandLog.Result.BROKEN;
        } catch (EOFException e) {
            return false; // it has heard what it wanted
        } catch (IOException | RuntimeException e) {
            log.accept("a caller: " + e.getMessage());
            return false;
        }
    }

    private CommandLog.Outcome answer(Frame question, ChannelLine line) {
        try {
            Seat seat = seats.get(question.type());
            if (seat == null) {
                throw new BadFrame("there is no question of type " + question.type());
            }
            CommandLog.Result result = CommandLog.Result.REFUSED;
            try {
                check(line.session(), seat.needed);
                result = CommandLog.Result.FAILED;
                seat.clerk.answer(question, line);
                return new CommandLog.Outcome(CommandLog.Result.OK, "");
            } catch (EOFException | BadFrame e) {
                throw e;
            } catch (IOException e) {
                // Its trouble with others. If it is trouble with this caller, nobody hears of it.
                String reason = String.valueOf(e.getMessage());
                line.send(new Failure(reason).frame());
                return new CommandLog.Outcome(result, reason);
            }
        } catch (EOFException e) {
            return new CommandLog.Outcome(CommandLog.Result.BROKEN, String.valueOf(e.getMessage()));
        } catch (IOException | RuntimeException e) {
            log.accept("a caller: " + e.getMessage());
            return new CommandLog.Outcome(CommandLog.Result.BROKEN, String.valueOf(e.getMessage()));
        }
    }

    private String nameOf(Frame question) {
        Seat seat = seats.get(question.type());
        return seat == null ? "type-" + question.type() : seat.name;
    }

    private String about(Frame question) {
        try {
            return switch (question.type()) {
                case STATUS, RING -> "";
                case OWNER -> question.read().id().toString();
                default -> subject.of(question);
            };
        } catch (BadFrame e) {
            return "";
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
