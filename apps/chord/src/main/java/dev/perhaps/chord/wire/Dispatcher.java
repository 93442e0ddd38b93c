package dev.perhaps.chord.wire;

import dev.perhaps.chord.cluster.ClusterSecret;
import dev.perhaps.chord.cluster.CommandLog;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.web.Role;
import java.io.EOFException;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Passes each request to the handler of its type. */
public final class Dispatcher {
    /** How are you? Answered by a frame of the same type. */
    public static final int STATUS = 20;

    /** Who is on the ring? Answered by a {@link #STATUS} each, a {@link #UNREACHED} each, and {@link #END}. */
    public static final int RING = 21;

    public static final int UNREACHED = 22;
    public static final int END = 23;

    /** In place of any response: the reason why there is none. */
    public static final int FAILED = 24;

    /** Who is responsible for a key? Answered by a frame of the same type. */
    public static final int OWNER = 25;

    /** A part of a file, in either direction. */
    public static final int CHUNK = 40;

    /** Answers one question. */
    @FunctionalInterface
    public interface Handler {
        void answer(WireFrame question, FrameStream stream) throws IOException;
    }

    /** Reads what a question is about. */
    @FunctionalInterface
    public interface Subject {
        String of(WireFrame question) throws BadFrame;
    }

    private record Registration(String name, Role needed, Handler handler) {}

    private final Consumer<String> log;
    private final Map<Integer, Registration> registrations = new ConcurrentHashMap<>();
    private volatile Subject subject = question -> "";
    private volatile @Nullable CommandLog commandLog;
    private volatile Supplier<Map<String, Long>> load = TreeMap::new;
    private volatile Supplier<Map<String, String>> gone = TreeMap::new;

    public Dispatcher(Consumer<String> log) {
        this.log = log;
    }

    /**
     * From now on, requests of this type are answered if the client may send them.
     *
     * @param name of the question in the log
     */
    public void answer(int type, String name, Role needed, Handler handler) {
        registrations.put(type, new Registration(name, needed, handler));
    }

    /** Sets the figures of the peer, by name, for replies about its status. */
    public void load(Supplier<Map<String, Long>> figures) {
        load = figures;
    }

    public Map<String, Long> load() {
        return load.get();
    }

    /** Peers that will not answer, by address, and why in a word. */
    public void gone(Supplier<Map<String, String>> words) {
        gone = words;
    }

    public Map<String, String> gone() {
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

    /** Answers the next question of a stream. Returns false if the stream has ended. */
    public boolean answerOne(ChannelFrameStream stream) {
        try {
            WireFrame question = stream.receive();
            CommandLog to = commandLog;
            if (to == null || stream.session().use() != Session.Use.COMMANDS) {
                return answer(question, stream).result() != CommandLog.Result.BROKEN;
            }
            long cameNanos = stream.usedNanos();
            long before = stream.contentBytes();
            CommandLog.Outcome outcome = answer(question, stream);
            CommandLog.Command command =
                    new CommandLog.Command(nameOf(question), about(question), stream.contentBytes() - before);
            to.add(stream.remote(), stream.session(), command, outcome, System.nanoTime() - cameNanos);
            return outcome.result() != CommandLog.Result.BROKEN;
        } catch (EOFException e) {
            return false; // it has heard what it wanted
        } catch (IOException | RuntimeException e) {
            log.accept("a caller: " + e.getMessage());
            return false;
        }
    }

    private CommandLog.Outcome answer(WireFrame question, ChannelFrameStream stream) {
        try {
            Registration registration = registrations.get(question.type());
            if (registration == null) {
                throw new BadFrame("unknown request type " + question.type());
            }
            CommandLog.Result result = CommandLog.Result.REFUSED;
            try {
                check(stream.session(), registration.needed);
                result = CommandLog.Result.FAILED;
                registration.handler.answer(question, stream);
                return new CommandLog.Outcome(CommandLog.Result.OK, "");
            } catch (EOFException | BadFrame e) {
                throw e;
            } catch (IOException e) {
                // Its trouble with others. If it is trouble with this caller, nobody hears of it.
                String reason = String.valueOf(e.getMessage());
                stream.send(new Failure(reason).frame());
                return new CommandLog.Outcome(result, reason);
            }
        } catch (EOFException e) {
            return new CommandLog.Outcome(CommandLog.Result.BROKEN, String.valueOf(e.getMessage()));
        } catch (IOException | RuntimeException e) {
            log.accept("a caller: " + e.getMessage());
            return new CommandLog.Outcome(CommandLog.Result.BROKEN, String.valueOf(e.getMessage()));
        }
    }

    private String nameOf(WireFrame question) {
        Registration registration = registrations.get(question.type());
        return registration == null ? "type-" + question.type() : registration.name;
    }

    private String about(WireFrame question) {
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
                    + (needed == Role.PEER ? "the cluster" : ClusterSecret.withArticle(needed)));
        }
    }
}
