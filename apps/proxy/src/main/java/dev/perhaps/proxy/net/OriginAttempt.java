package dev.perhaps.proxy.net;

import dev.perhaps.proxy.LookupOutcome;
import dev.perhaps.proxy.SiblingLookup;
import dev.perhaps.proxy.cache.Copy;
import dev.perhaps.proxy.http.Framing;
import dev.perhaps.proxy.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/** One request of a {@link PageFetch}: to a sibling, to the origin, or to the origin again. Confined to an event loop. */
final class OriginAttempt implements UpstreamRequest {
    private static final int MAX_LEFT_BYTES = 64 << 10;

    /** Who wants the response. */
    interface Listener {
        /** Returns true if a response has begun. */
        boolean begun();

        void begins(OriginAttempt asking, ResponseHead head, Framing framing, boolean clean);

        boolean piece(byte[] piece);

        void ends(boolean clean);

        void fails(Participant.Failure failure);

        /** No connection is free for it now. */
        void waits();

        /** The head is sent: it waits no more. */
        void sent();

        /** The sibling does not have the page: asks the origin. */
        void askOrigin();

        /**
         * The sibling has sent a part of the page: asks the origin for the rest. Returns false if that is not possible.
         */
        boolean askOriginForRest();
    }

    private final Listener listener;
    private final Engine engine;
    private final ForwardedRequest forwarded;
    private final @Nullable Participant leader;
    private final SiblingLookup.@Nullable Attempt attempt;
    private final ForwardedRequest.@Nullable Rest rest;
    private final byte[] bytes;
    private final long askedMillis;
    private final long askedNanos = System.nanoTime();
    private long headNanos;
    private long gotBytes;
    private @Nullable UpstreamConnection connection;
    private boolean over;
    private @Nullable ResponseHead held;
    private Framing heldFraming = Framing.NONE;
    private boolean heldClean;

    /**
     * Prepares a request.
     *
     * @param validated the copy to ask about
     * @param attempt null: to the origin
     * @param rest null: all of the page
     */
    OriginAttempt(
            Listener listener,
            Engine engine,
            ForwardedRequest forwarded,
            @Nullable Participant leader,
            @Nullable Copy validated,
            SiblingLookup.@Nullable Attempt attempt,
            ForwardedRequest.@Nullable Rest rest) {
        this.listener = listener;
        this.engine = engine;
        this.forwarded = forwarded;
        this.leader = leader;
        this.attempt = attempt;
        this.rest = rest;
        this.bytes = forwarded.bytes(validated, attempt, rest);
        this.askedMillis = engine.now();
    }

    long askedMillis() {
        return askedMillis;
    }

    @Nullable
    String sibling() {
        return attempt == null ? null : attempt.name();
    }

    /** Nobody listens any more; a short rest is read, so that the connection can be used again. */
    void forget() {
        over = true;
    }

    /** Nobody wants the rest. */
    void abandon() {
        boolean open = !over;
        over = true;
        if (connection != null) {
            connection.abandon(this);
        }
        if (open && attempt != null) {
            attempt.end(hit()); // it had the page; it is the client who did not want all of it
        }
    }

    private LookupOutcome.Hit hit() {
        return new LookupOutcome.Hit(cost(), gotBytes);
    }

    private LookupOutcome.Cost cost() {
        return new LookupOutcome.Cost(headNanos);
    }

    void resume() {
        if (connection != null) {
            connection.resume(this);
        }
    }

    @Override
    public String method() {
        return forwarded.head().method();
    }

    @Override
    public byte[] head() {
        return bytes;
    }

    @Override
    public long client() {
        return forwarded.client();
    }

    @Override
    public void waits() {
        listener.waits();
    }

    @Override
    public boolean toSibling() {
        return attempt != null;
    }

    @Override
    public boolean hasBody() {
        return !forwarded.framing().isEmpty();
    }

    @Override
    public boolean waitsForBody() {
        return hasBody() && leader != null && !leader.hasWholeBody();
    }

    @Override
    public void sent(UpstreamConnection line) {
        connection = line;
        listener.sent();
        if (over) {
            line.abandon(this);
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
    public void begins(ResponseHead head, Framing framing, boolean clean) {
        if (over) {
            return;
        }
        headNanos = System.nanoTime() - askedNanos;
        if (rest != null) {
            if (!isRest(rest, head, framing)) {
                over = true;
                if (connection != null) {
                    connection.abandon(this);
                }
                listener.fails(new Participant.Failure(502, "the origin has another page than the sibling had"));
            }
            return;
        }
        if (attempt != null) {
            if (!attempt.accepts(head.status(), head.headers()) || !forwarded.fitsWithoutCredentials(head.headers())) {
                attempt.end(new LookupOutcome.Miss(cost()));
                over = true;
                listener.askOrigin();
                return;
            }
            // Until it sends more than a head, the origin can take its place without anybody noticing.
            held = head;
            heldFraming = framing;
            heldClean = clean;
            return;
        }
        listener.begins(this, head, framing, clean);
    }

    /** Returns true if this is the rest of the same page, up to its end. */
    private static boolean isRest(ForwardedRequest.Rest rest, ResponseHead head, Framing framing) {
        String range = head.headers().first("Content-Range");
        String start = "bytes " + rest.fromBytes() + "-";
        return head.status() == 206
                && rest.tag().equals(head.headers().first("ETag"))
                && framing.kind() == Framing.Kind.LENGTH
                && (rest.totalBytes() < 0 || rest.totalBytes() == rest.fromBytes() + framing.lengthBytes())
                && range != null
                && range.equals(start + (rest.fromBytes() + framing.lengthBytes() - 1) + "/"
                        + (rest.fromBytes() + framing.lengthBytes()));
    }

    /** Passes on the head that was held back. */
    private void passHead() {
        ResponseHead head = held;
        if (head != null) {
            held = null;
            listener.begins(this, head, heldFraming, heldClean);
        }
    }

    @Override
    public boolean piece(byte[] piece) {
        gotBytes += piece.length;
        passHead();
        if (!over) {
            return listener.piece(piece);
        }
        if (gotBytes > MAX_LEFT_BYTES && connection != null) {
            connection.abandon(this);
        }
        return true;
    }

    @Override
    public void ends(boolean clean) {
        if (over) {
            return;
        }
        passHead();
        if (over) {
            return;
        }
        over = true;
        if (attempt != null) {
            attempt.end(hit());
        } else if (forwarded.plain()) {
            engine.plan.siblingLookup().originResponded(cost());
        }
        listener.ends(clean);
    }

    @Override
    public void fails(Participant.Failure failure) {
        if (over) {
            return;
        }
        over = true;
        if (attempt != null) {
            attempt.end(new LookupOutcome.Failure(System.nanoTime()));
            if (!listener.begun()) {
                listener.askOrigin();
                return;
            }
            if (listener.askOriginForRest()) {
                return;
            }
        }
        listener.fails(failure);
    }
}
