package dev.perhaps.proxy.net;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.proxy.SiblingLookup;
import dev.perhaps.proxy.cache.Copy;
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
 * One request to the origin (or first to a sibling), and all who wait for its response. It runs on the event loop of the client
 * that asked first; others may join from any thread.
 */
final class PageFetch implements OriginAttempt.Listener {
    /*
     * N clients who miss the same page at once make one request:
     *
     *     ASKING the head is not here yet: new clients wait. KEEPING the response may be stored, for all whose request it
     *     fits. If its length is known, each client gets
     *                 it as it comes, from the beginning, at its own pace: what has come is kept anyway, so a slow
     *                 client stops nobody. If its length is not known, it may turn out too big to keep; then only the
     *                 first gets it as it comes, and the others wait until it is whole.
     *     OVER        the response is not for others (private, too big, another variant), or whole, or broken. Those who still
     *                 wait ask for themselves; if there was no response at all, they share the failure, since a herd is
     *                 the last thing that an origin in trouble needs.
     *
     * What is kept is bounded: a body by the largest entry, all of them together by a budget. Beyond it a response is passed
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
    private final ForwardedRequest forwarded;
    private final @Nullable Participant leader;
    private final long begunAt; // of invalidations
    private final List<Participant> waiting = new ArrayList<>();
    private State state = State.ASKING;
    private boolean left;
    private volatile boolean queued;
    private @Nullable Copy validated;
    private @Nullable OriginAttempt current;
    private Participant.@Nullable Response response;
    private @Nullable Kept kept;

    /** What is needed to make a copy of the response. */
    private record Kept(
            ResponseHead head, CacheControl says, Freshness freshness, Vary vary, List<String> selected, Flow flow) {}

    /**
     * Prepares a request.
     *
     * @param validated the stale copy to ask about; null if the whole page is wanted
     * @param leader null if no client waits, and the cache validates the page by itself
     */
    PageFetch(
            Engine engine,
            Upstream upstream,
            EventLoop loop,
            ForwardedRequest forwarded,
            @Nullable Copy validated,
            @Nullable Participant leader) {
        this.engine = engine;
        this.upstream = upstream;
        this.loop = loop;
        this.forwarded = forwarded;
        this.validated = validated;
        this.leader = leader;
        this.begunAt = engine.invalidations();
    }

    /** Asks a sibling, if one may have it, else the origin. */
    void start() {
        SiblingLookup.@Nullable Attempt attempt = forwarded.plain() && validated == null
                ? engine.plan
                        .siblingLookup()
                        .attempt(forwarded.key(), forwarded.head().headers())
                : null;
        if (attempt == null) {
            askOrigin();
        } else {
            Destination to = new Destination(
                    attempt.address(),
                    false,
                    attempt.timeoutMillis(),
                    attempt.timeoutMillis(),
                    attempt.timeoutMillis());
            ask(to, new OriginAttempt(this, engine, forwarded, leader, null, attempt, null));
        }
    }

    @Override
    public void askOrigin() {
        ask(engine.originResolver.current(), new OriginAttempt(this, engine, forwarded, leader, validated, null, null));
    }

    @Override
    public boolean askOriginForRest() {
        Participant.Response begun = response;
        String tag = begun == null ? null : Validators.strongTag(begun.head().headers());
        if (begun == null || tag == null || begun.head().status() != 200) {
            return false;
        }
        ForwardedRequest.Rest rest = new ForwardedRequest.Rest(tag, begun.flow().sizeBytes(), begun.lengthBytes());
        ask(engine.originResolver.current(), new OriginAttempt(this, engine, forwarded, leader, null, null, rest));
        return true;
    }

    private void ask(Destination to, OriginAttempt next) {
        current = next;
        upstream.send(to, next);
    }

    @Override
    public void waits() {
        queued = true;
    }

    @Override
    public void sent() {
        queued = false;
    }

    /**
     * Whether it waits for a connection on account of another address: one that has used up its share of them must not make
     * others wait for a page. Any thread.
     */
    boolean isQueuedForOther(long address) {
        return queued && forwarded.client() != address;
    }

    /** Waits for the response too. False: it is not for this one. Any thread. */
    boolean join(Participant participant) {
        Participant.Response begun;
        synchronized (this) {
            begun = response;
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

    /** Returns the number of clients that wait for it besides the first. Called from any thread. */
    synchronized int waiting() {
        return waiting.size();
    }

    boolean mayStore() {
        return forwarded.mayStore();
    }

    /** The first client no longer needs the response. Called on its event loop. */
    void leave() {
        boolean useful;
        left = true;
        synchronized (this) {
            // A response that is coming is worth keeping; one that nobody waits for is not worth a connection to the
            // origin.
            useful = forwarded.mayStore() && (state == State.KEEPING || state == State.ASKING && !waiting.isEmpty());
            if (!useful) {
                state = State.OVER;
            }
        }
        OriginAttempt asking = current;
        if (!useful && asking != null) {
            engine.flights.remove(forwarded.key(), this);
            asking.abandon();
            upstream.withdraw(asking);
        }
    }

    /** Removes a client that waits. Returns false if it does not wait. Called from any thread. */
    @CanIgnoreReturnValue
    boolean withdraw(Participant participant) {
        boolean last;
        synchronized (this) {
            if (!waiting.remove(participant)) {
                return false;
            }
            last = waiting.isEmpty();
        }
        if (last) {
            loop.execute(() -> {
                if (left) {
                    leave();
                }
            });
        }
        return true;
    }

    /** Continues to read when the client has taken what was received. */
    private void resume() {
        loop.execute(() -> {
            OriginAttempt asking = current;
            if (asking != null) {
                asking.resume();
            }
        });
    }

    @Override
    public boolean begun() {
        return response != null;
    }

    @Override
    public void begins(OriginAttempt asking, ResponseHead head, Framing framing, boolean clean) {
        long now = engine.now();
        Copy asked = validated;
        if (asked != null && head.status() == 304) {
            if (Validators.confirms(head.headers(), asked.headers())) {
                asking.forget();
                refresh(asked, head, asking.askedMillis(), now);
            } else {
                asking.forget();
                validated = null; // it speaks of another page than ours: ask for all of it
                askOrigin();
            }
            return;
        }
        if (!forwarded.head().isSafe() && head.status() < 400) {
            forwarded.invalidated(head).forEach(engine::invalidate);
        }
        Kept keeping = clean ? keep(head, framing, asking.askedMillis(), now) : null;
        Flow flow = keeping == null ? Flow.passing(engine, this::resume) : keeping.flow;
        long length = framing.kind() == Framing.Kind.LENGTH ? framing.lengthBytes() : -1;
        Participant.Response begun = new Participant.Response(head, length, keeping != null, flow, asking.sibling());
        List<Participant> others;
        synchronized (this) {
            response = begun;
            kept = keeping;
            state = keeping == null ? State.OVER : State.KEEPING;
            others = length < 0 && keeping != null ? List.of() : takeWaiting();
        }
        if (keeping == null) {
            engine.flights.remove(forwarded.key(), this);
            if (forwarded.mayStore() && forwarded.forAll() && head.status() < 500) {
                engine.store.remove(forwarded.key()); // what was kept before is not what the origin says now
            }
        }
        if (keeping == null && (left || leader == null)) {
            asking.abandon();
        } else if (leader != null) {
            leader.begins(begun, this);
        }
        for (Participant other : others) {
            boolean applies = keeping != null && keeping.vary.matches(keeping.selected, other.request());
            other.loop().execute(() -> {
                if (applies) {
                    other.begins(begun, this);
                } else {
                    other.alone();
                }
            });
        }
    }

    /** What to store of a response; null if it must not, or need not, be stored. */
    private @Nullable Kept keep(ResponseHead head, Framing framing, long askedMillis, long now) {
        assert !forwarded.mayStore() || forwarded.head().method().equals("GET");
        // One that ends with its connection may have been cut short, and nobody can know.
        if (!forwarded.mayStore()
                || framing.kind() == Framing.Kind.CLOSE
                || framing.lengthBytes() > engine.plan.limits().entryBytes()) {
            return null;
        }
        Headers request = forwarded.head().headers();
        CacheControl says = CacheControl.ofResponse(head.headers());
        Freshness freshness = Freshness.of(
                        head.headers(), says, Storing.mayGuess(head.status(), says, request), askedMillis, now)
                .from(engine.pageMillis());
        if (!Storing.allows(request, forwarded.asked(), head.status(), head.headers(), says, freshness)) {
            return null;
        }
        Flow flow = Flow.keeping(engine, framing.lengthBytes(), this::resume);
        if (flow == null) {
            return null;
        }
        Vary vary = Vary.of(head.headers());
        Headers passed = HeadWriter.stored(head.headers(), head.minorVersion(), engine.plan.name(), now);
        return new Kept(
                new ResponseHead(head.status(), head.reason(), 1, passed),
                says,
                freshness,
                vary,
                vary.select(forwarded.sent()),
                flow);
    }

    /** The origin says that the copy still holds: it is new again. */
    private void refresh(Copy copy, ResponseHead head, long askedMillis, long now) {
        Headers passed = HeadWriter.stored(head.headers(), head.minorVersion(), engine.plan.name(), now);
        Headers merged = Validators.merge(copy.headers(), passed);
        Headers.Builder aged = merged.edit();
        String age = head.headers().joined("Age");
        if (age != null) {
            aged.set("Age", age);
        }
        CacheControl says = CacheControl.ofResponse(merged);
        Headers request = forwarded.head().headers();
        Freshness freshness = Freshness.of(
                        aged.build(), says, Storing.mayGuess(copy.status(), says, request), askedMillis, now)
                .from(engine.pageMillis());
        // A 304 may say that the page depends on more, or on less, than it did.
        Vary vary = head.headers().has("Vary") ? Vary.of(head.headers()) : copy.vary();
        Copy fresh = new Copy(
                new ResponseHead(copy.status(), copy.head().reason(), 1, merged),
                says,
                freshness,
                vary,
                vary.equals(copy.vary()) ? copy.selected() : vary.select(forwarded.sent()),
                copy.body());
        boolean allowed = Storing.allows(request, forwarded.asked(), copy.status(), merged, says, freshness);
        settle(fresh, allowed);
    }

    /** The page is here. */
    private void settle(Copy copy, boolean store) {
        List<Participant> others;
        synchronized (this) {
            state = State.OVER;
            others = takeWaiting();
        }
        if (store) {
            engine.put(forwarded.key(), copy, begunAt);
        } else {
            if (forwarded.forAll()) {
                engine.store.remove(forwarded.key()); // that it must not be kept is not only this client's wish
            }
            engine.store.left(copy);
        }
        engine.flights.remove(forwarded.key(), this);
        if (leader != null && response == null) {
            leader.stored(copy, this);
        }
        for (Participant other : others) {
            boolean applies = store && copy.fits(other.request());
            other.loop().execute(() -> {
                if (applies) {
                    other.stored(copy, this);
                } else {
                    other.alone();
                }
            });
        }
    }

    @Override
    public boolean piece(byte[] piece) {
        Participant.Response begun = response;
        if (begun == null) {
            return true;
        }
        engine.plan.counters().gotFromOrigin(piece.length);
        if (kept != null && begun.lengthBytes() < 0) {
            boolean fits = begun.flow().sizeBytes() + piece.length
                    <= engine.plan.limits().entryBytes();
            if (!fits || !begun.flow().reserve(piece.length)) {
                stopKeeping(begun);
            }
        }
        return begun.flow().append(piece);
    }

    /**
     * Stops storing a body that is too big. Only the first client gets it; the others, which wait, make their own
     * requests.
     */
    private void stopKeeping(Participant.Response begun) {
        giveUp();
        engine.store.remove(forwarded.key());
        begun.flow().pass();
        if ((left || leader == null) && current != null) {
            current.abandon();
        }
    }

    @Override
    public void ends(boolean clean) {
        Participant.Response begun = response;
        if (begun == null) {
            return;
        }
        Kept keeping = kept;
        if (keeping == null) {
            begun.flow().finish();
            return;
        }
        try {
            if (clean) {
                byte[] whole = keeping.flow.whole();
                Copy copy =
                        new Copy(keeping.head, keeping.says, keeping.freshness, keeping.vary, keeping.selected, whole);
                settle(copy, true);
                begun.flow().finish(copy);
            } else {
                giveUp();
                begun.flow().finish();
            }
        } finally {
            begun.flow().fail(); // nothing happens if it has ended, and what it took is given back if it has not
        }
    }

    @Override
    public void fails(Participant.Failure failure) {
        Participant.Response begun = response;
        if (begun == null) {
            List<Participant> others;
            synchronized (this) {
                state = State.OVER;
                others = takeWaiting();
            }
            engine.flights.remove(forwarded.key(), this);
            if (leader != null) {
                leader.failed(failure);
            }
            others.forEach(other -> other.loop().execute(() -> other.failed(failure)));
            return;
        }
        try {
            giveUp();
        } finally {
            begun.flow().fail();
        }
    }

    /** Gives up on a shared response: each client that waits for it makes its own request. */
    private void giveUp() {
        List<Participant> others;
        synchronized (this) {
            state = State.OVER;
            kept = null;
            others = takeWaiting();
        }
        engine.flights.remove(forwarded.key(), this);
        others.forEach(other -> other.loop().execute(other::alone));
    }

    private List<Participant> takeWaiting() {
        assert Thread.holdsLock(this);
        List<Participant> taken = List.copyOf(waiting);
        waiting.clear();
        return taken;
    }
}
