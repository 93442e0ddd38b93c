package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Copy;
import dev.perhaps.proxy.Detour;
import dev.perhaps.proxy.http.CacheControl;
import dev.perhaps.proxy.http.Framing;
import dev.perhaps.proxy.http.Freshness;
import dev.perhaps.proxy.http.Headers;
import dev.perhaps.proxy.http.ResponseHead;
import dev.perhaps.proxy.http.Storing;
import dev.perhaps.proxy.http.Validators;
import dev.perhaps.proxy.http.Vary;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One question to the origin (or first to a sibling), and all who wait for its answer. It runs on the event loop of the client
 * that asked first; others may join from any thread.
 */
final class Fetch {
    /*
     * N clients who miss the same page at once make one request:
     *
     *     ASKING      the head is not here yet: whoever comes waits.
     *     KEEPING     the answer may be stored, for all whose request it fits. If its length is known, everybody gets it as
     *                 it comes, from the beginning, at his own pace: what has come is kept anyway, so a slow client stops
     *                 nobody. If its length is not known, it may turn out too big to keep; then only the first gets it as it
     *                 comes, and the others wait until it is whole.
     *     OVER        the answer is not for others (private, too big, another variant), or whole, or broken. Those who still
     *                 wait ask for themselves; if there was no answer at all, they share the failure, since a herd is
     *                 the last thing that an origin in trouble needs.
     *
     * What is kept is bounded: a body by the largest entry, all of them together by a budget. Beyond it an answer is passed
     * on without being stored, at the pace of its one client.
     */
    private enum State {
        ASKING,
        KEEPING,
        OVER
    }

    private final Engine engine;
    private final Upstream upstream;
    private final EventLoop loop;
    private final Question question;
    private final @Nullable Participant leader;
    private final List<Participant> waiting = new ArrayList<>();
    private State state = State.ASKING;
    private boolean doomed;
    private boolean left;
    private @Nullable Copy validated;
    private @Nullable Try current;
    private Participant.@Nullable Answer answer;
    private @Nullable Kept kept;

    /** What is needed to make a copy of the answer. */
    private record Kept(
            ResponseHead head, CacheControl says, Freshness freshness, Vary vary, List<String> selected, Flow flow) {}

    /**
     * Prepares a question.
     *
     * @param validated the stale copy to ask about; null if the whole page is wanted
     * @param leader null: nobody waits, the cache wants to know for itself
     */
    Fetch(
            Engine engine,
            Upstream upstream,
            EventLoop loop,
            Question question,
            @Nullable Copy validated,
            @Nullable Participant leader) {
        this.engine = engine;
        this.upstream = upstream;
        this.loop = loop;
        this.question = question;
        this.validated = validated;
        this.leader = leader;
    }

    /** Asks a sibling, if one may have it, else the origin. */
    void start() {
        Detour.@Nullable Attempt attempt = question.plain() && validated == null
                ? engine.detour.attempt(question.key(), question.head().headers())
                : null;
        if (attempt == null) {
            askOrigin();
        } else {
            Destination to =
                    new Destination(attempt.address(), false, attempt.patienceMillis(), attempt.patienceMillis());
            ask(to, new Try(question.bytes(engine, null, attempt), attempt));
        }
    }

    private void askOrigin() {
        ask(engine.toOrigin, new Try(question.bytes(engine, validated, null), null));
    }

    private void ask(Destination to, Try next) {
        current = next;
        upstream.send(to, next);
    }

    /** Waits for the answer too. False: it is not for this one. Any thread. */
    boolean join(Participant participant) {
        Participant.Answer begun;
        synchronized (this) {
            begun = answer;
            if (state == State.OVER || kept != null && !kept.vary.matches(kept.selected, participant.request())) {
                return false;
            }
            if (begun == null || begun.lengthBytes() < 0) {
                waiting.add(participant);
                return true;
            }
        }
        participant.loop().execute(() -> participant.begins(begun, this));
        return true;
    }

    boolean mayStore() {
        return question.mayStore();
    }

    /** What comes is outdated already: it is passed on and not stored. Any thread. */
    synchronized void doom() {
        doomed = true;
    }

    /** The client that asked first does not want the answer any more. On its event loop. */
    void leave() {
        boolean useful;
        left = true;
        synchronized (this) {
            useful = question.mayStore() && state != State.OVER;
        }
        Try asking = current;
        if (!useful && asking != null) {
            asking.abandon();
        }
    }

    /** Reads on, when the client has taken what came. */
    private void resume() {
        loop.execute(() -> {
            Try asking = current;
            if (asking != null && asking.connection != null) {
                asking.connection.resume();
            }
        });
    }

    private void begins(Try asking, ResponseHead head, Framing framing) {
        long now = engine.now();
        Copy asked = validated;
        if (asked != null && head.status() == 304) {
            if (Validators.confirms(head.headers(), asked.headers())) {
                refresh(asked, head, asking.askedMillis, now);
            } else {
                validated = null; // it speaks of another page than ours: ask for all of it
                askOrigin();
            }
            asking.over = true;
            return;
        }
        if (!question.head().isSafe() && head.status() < 400) {
            question.invalidated(head).forEach(engine::invalidate);
        }
        Kept keeping = keep(head, framing, asking.askedMillis, now);
        Flow flow = keeping == null ? new Flow(false, engine.limits.windowBytes(), this::resume) : keeping.flow;
        long length = framing.kind() == Framing.Kind.LENGTH ? framing.lengthBytes() : -1;
        Participant.Answer begun = new Participant.Answer(head, length, keeping != null, flow, asking.sibling());
        List<Participant> others;
        synchronized (this) {
            answer = begun;
            kept = keeping;
            state = keeping == null ? State.OVER : State.KEEPING;
            others = length < 0 && keeping != null ? List.of() : takeWaiting();
        }
        if (keeping == null) {
            engine.flights.remove(question.key(), this);
            if (question.mayStore() && head.status() < 500) {
                engine.store.remove(question.key()); // what was kept before is not what the origin says now
            }
        }
        if (keeping == null && (left || leader == null)) {
            asking.abandon();
        } else if (leader != null) {
            leader.begins(begun, this);
        }
        for (Participant other : others) {
            boolean his = keeping != null && keeping.vary.matches(keeping.selected, other.request());
            other.loop().execute(() -> {
                if (his) {
                    other.begins(begun, this);
                } else {
                    other.alone();
                }
            });
        }
    }

    /** What to store of an answer; null if it must not, or need not, be stored. */
    private @Nullable Kept keep(ResponseHead head, Framing framing, long askedMillis, long now) {
        assert !question.mayStore() || question.head().method().equals("GET");
        // One that ends with its connection may have been cut short, and nobody can know.
        if (!question.mayStore()
                || framing.kind() == Framing.Kind.CLOSE
                || framing.lengthBytes() > engine.limits.entryBytes()) {
            return null;
        }
        Headers request = question.head().headers();
        CacheControl says = CacheControl.ofResponse(head.headers());
        Freshness freshness =
                Freshness.of(head.headers(), says, Storing.mayGuess(head.status(), says, request), askedMillis, now);
        if (!Storing.allows(request, question.asked(), head.status(), head.headers(), says, freshness)
                || !engine.budget.take(framing.lengthBytes())) {
            return null;
        }
        Vary vary = Vary.of(head.headers());
        Headers passed = Passing.stored(head.headers(), head.minorVersion(), engine.name, now);
        return new Kept(
                new ResponseHead(head.status(), head.reason(), 1, passed),
                says,
                freshness,
                vary,
                vary.select(request),
                new Flow(true, engine.limits.windowBytes(), this::resume));
    }

    /** The origin says that the copy still holds: it is new again. */
    private void refresh(Copy copy, ResponseHead head, long askedMillis, long now) {
        Headers passed = Passing.stored(head.headers(), head.minorVersion(), engine.name, now);
        Headers merged = Validators.merge(copy.headers(), passed);
        Headers.Builder aged = merged.edit();
        String age = head.headers().first("Age");
        if (age != null) {
            aged.set("Age", age);
        }
        CacheControl says = CacheControl.ofResponse(merged);
        Headers request = question.head().headers();
        Freshness freshness =
                Freshness.of(aged.build(), says, Storing.mayGuess(copy.status(), says, request), askedMillis, now);
        Copy fresh = new Copy(
                new ResponseHead(copy.status(), copy.head().reason(), 1, merged),
                says,
                freshness,
                copy.vary(),
                copy.selected(),
                copy.body());
        boolean allowed = Storing.allows(request, question.asked(), copy.status(), merged, says, freshness);
        settle(fresh, allowed);
    }

    /** The page is here. */
    private void settle(Copy copy, boolean store) {
        List<Participant> others;
        boolean good;
        synchronized (this) {
            state = State.OVER;
            good = store && !doomed;
            others = takeWaiting();
        }
        if (good) {
            engine.store.put(question.key(), copy);
        } else if (!store) {
            engine.store.remove(question.key());
        }
        engine.flights.remove(question.key(), this);
        if (leader != null && answer == null) {
            leader.stored(copy, this);
        }
        for (Participant other : others) {
            boolean his = store && copy.fits(other.request());
            other.loop().execute(() -> {
                if (his) {
                    other.stored(copy, this);
                } else {
                    other.alone();
                }
            });
        }
    }

    private boolean piece(byte[] piece) {
        Participant.Answer begun = answer;
        if (begun == null) {
            return true;
        }
        engine.counters.gotFromOrigin(piece.length);
        if (kept != null && begun.lengthBytes() < 0) {
            boolean fits = begun.flow().sizeBytes() + piece.length <= engine.limits.entryBytes();
            if (!fits || !engine.budget.take(piece.length)) {
                stopKeeping(begun);
            }
        }
        return begun.flow().append(piece);
    }

    /** It is too big. Only the first client gets it; the others have waited for its end, and ask for themselves. */
    private void stopKeeping(Participant.Answer begun) {
        List<Participant> others;
        synchronized (this) {
            state = State.OVER;
            kept = null;
            others = takeWaiting();
        }
        engine.flights.remove(question.key(), this);
        engine.store.remove(question.key());
        engine.budget.giveBack(begun.flow().sizeBytes());
        begun.flow().pass();
        others.forEach(other -> other.loop().execute(other::alone));
        if ((left || leader == null) && current != null) {
            current.abandon();
        }
    }

    private void ends(boolean clean) {
        Participant.Answer begun = answer;
        if (begun == null) {
            return;
        }
        Kept keeping = kept;
        if (keeping != null) {
            if (clean) {
                settle(
                        new Copy(
                                keeping.head,
                                keeping.says,
                                keeping.freshness,
                                keeping.vary,
                                keeping.selected,
                                keeping.flow.whole()),
                        true);
            } else {
                giveUp();
            }
            engine.budget.giveBack(reserved(begun));
        }
        begun.flow().finish();
    }

    private static long reserved(Participant.Answer begun) {
        return begun.lengthBytes() < 0 ? begun.flow().sizeBytes() : begun.lengthBytes();
    }

    private void fails(Participant.Failure failure) {
        Participant.Answer begun = answer;
        if (begun == null) {
            List<Participant> others;
            synchronized (this) {
                state = State.OVER;
                others = takeWaiting();
            }
            engine.flights.remove(question.key(), this);
            if (leader != null) {
                leader.failed(failure);
            }
            others.forEach(other -> other.loop().execute(() -> other.failed(failure)));
            return;
        }
        if (kept != null) {
            engine.budget.giveBack(reserved(begun));
        }
        giveUp();
        begun.flow().fail();
    }

    /** There will be no copy: whoever waits for one asks for himself. */
    private void giveUp() {
        List<Participant> others;
        synchronized (this) {
            state = State.OVER;
            kept = null;
            others = takeWaiting();
        }
        engine.flights.remove(question.key(), this);
        others.forEach(other -> other.loop().execute(other::alone));
    }

    private List<Participant> takeWaiting() {
        assert Thread.holdsLock(this);
        List<Participant> taken = List.copyOf(waiting);
        waiting.clear();
        return taken;
    }

    /** One request for it: to a sibling, to the origin, or to the origin again. */
    private final class Try implements UpstreamRequest {
        private static final int MOST_LEFT_BYTES = 64 << 10;

        private final byte[] bytes;
        private final Detour.@Nullable Attempt attempt;
        private final long askedMillis = engine.now();
        private final long askedNanos = System.nanoTime();
        private long headNanos;
        private long gotBytes;
        private @Nullable UpstreamConnection connection;

        /** Nobody listens any more; a short rest is read, so that the connection can be used again. */
        private boolean over;

        Try(byte[] bytes, Detour.@Nullable Attempt attempt) {
            this.bytes = bytes;
            this.attempt = attempt;
        }

        @Nullable
        String sibling() {
            return attempt == null ? null : attempt.name();
        }

        void abandon() {
            over = true;
            if (connection != null) {
                connection.abandon();
            }
            if (attempt != null) {
                attempt.hit(gotBytes, headNanos); // it had the page; it is the client who did not want all of it
            }
        }

        @Override
        public String method() {
            return question.head().method();
        }

        @Override
        public byte[] head() {
            return bytes;
        }

        @Override
        public boolean hasBody() {
            return !question.framing().isEmpty();
        }

        @Override
        public void sent(UpstreamConnection line) {
            connection = line;
            if (over) {
                line.abandon();
            } else if (hasBody() && leader != null) {
                leader.upload(line);
            }
        }

        @Override
        public void writable() {
            if (!over && leader != null) {
                leader.room();
            }
        }

        @Override
        public void hint(ResponseHead head) {
            if (!over && leader != null) {
                leader.hint(head);
            }
        }

        @Override
        public void begins(ResponseHead head, Framing framing) {
            if (over) {
                return;
            }
            headNanos = System.nanoTime() - askedNanos;
            if (attempt != null && !attempt.accepts(head.status(), head.headers())) {
                attempt.miss(headNanos);
                over = true;
                askOrigin();
                return;
            }
            Fetch.this.begins(this, head, framing);
        }

        @Override
        public boolean piece(byte[] piece) {
            gotBytes += piece.length;
            if (!over) {
                return Fetch.this.piece(piece);
            }
            if (gotBytes > MOST_LEFT_BYTES && connection != null) {
                connection.abandon();
            }
            return true;
        }

        @Override
        public void ends(boolean clean) {
            if (over) {
                return;
            }
            if (attempt != null) {
                attempt.hit(gotBytes, headNanos);
            } else {
                engine.detour.origin(question.key(), gotBytes, headNanos);
            }
            Fetch.this.ends(clean);
        }

        @Override
        public void fails(Participant.Failure failure) {
            if (over) {
                return;
            }
            if (attempt != null) {
                attempt.failed(System.nanoTime() - askedNanos);
                if (answer == null) {
                    over = true;
                    askOrigin();
                    return;
                }
            }
            Fetch.this.fails(failure);
        }
    }
}
