package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Copy;
import dev.perhaps.proxy.Counters;
import dev.perhaps.proxy.http.BadMessage;
import dev.perhaps.proxy.http.CacheControl;
import dev.perhaps.proxy.http.Framing;
import dev.perhaps.proxy.http.Headers;
import dev.perhaps.proxy.http.Hops;
import dev.perhaps.proxy.http.RequestHead;
import dev.perhaps.proxy.http.ResponseHead;
import dev.perhaps.proxy.http.Reuse;
import dev.perhaps.proxy.http.Target;
import dev.perhaps.proxy.http.Validators;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/** One request of a client, from its head to its answer. Confined to the event loop of the client. */
final class Exchange implements Service.Serving, Participant {
    private final Engine engine;
    private final Upstream upstream;
    private final ClientConnection client;
    private final RequestHead head;
    private final Target target;
    private final Framing framing;
    private final String key;
    private final CacheControl asked;
    private final boolean reads;
    private final Reply reply;
    private @Nullable Copy stale;
    private @Nullable Fetch fetch;
    private boolean leads;
    private boolean over;
    private @Nullable UpstreamConnection line;

    Exchange(
            Engine engine,
            Upstream upstream,
            ClientConnection client,
            RequestHead head,
            Target target,
            Framing framing) {
        this.engine = engine;
        this.upstream = upstream;
        this.client = client;
        this.head = head;
        this.target = target;
        this.framing = framing;
        this.key = engine.key(target);
        this.asked = CacheControl.ofRequest(head.headers());
        this.reply = new Reply(engine, client, head);
        this.reads = head.method().equals("GET") || head.method().equals("HEAD");
    }

    @Override
    public void start() throws BadMessage {
        check();
        Headers request = head.headers();
        if (!reads || !framing.isEmpty() || Validators.onlyForOrigin(request)) {
            pass();
            return;
        }
        long now = engine.now();
        Copy copy = engine.store.find(key, request);
        if (copy != null) {
            Reuse reuse = copy.reuse(asked, now);
            boolean whole = head.method().equals("GET") && !request.has("Range");
            if (reuse != Reuse.VALIDATE && (reuse != Reuse.STALE_MEANWHILE || whole)) {
                serve(copy, reuse == Reuse.FRESH ? Counters.Source.HIT : Counters.Source.STALE, now);
                if (reuse == Reuse.STALE_MEANWHILE) {
                    refreshMeanwhile(copy);
                }
                return;
            }
            stale = copy;
        }
        if (asked.onlyIfCached()) {
            refuse(504, "the page is not in the cache, and the request wants it from nowhere else");
        } else if (head.method().equals("HEAD") || request.has("Range")) {
            pass();
        } else {
            ask();
        }
    }

    /** What is refused here, whatever the origin would say. */
    private void check() throws BadMessage {
        Headers request = head.headers();
        if (head.method().equals("CONNECT") || head.method().equals("TRACE")) {
            throw new BadMessage(405, head.method() + " is not for a cache in front of one origin");
        }
        if (request.has("Upgrade") && !Hops.has(request, "Upgrade", "h2c")) {
            throw new BadMessage(501, "no other protocol is spoken here than HTTP/1.1");
        }
        if (Hops.wasAt(engine.name, request)) {
            throw new BadMessage(508, "the request has been here before: the origin leads back to this proxy");
        }
        if (!engine.detour.admits(head.method(), target.path(), request)) {
            throw new BadMessage(403, "the request claims to come from a sibling, and is not signed as one's, or late");
        }
        if (framing.lengthBytes() > engine.limits.requestBytes()) {
            throw new BadMessage(413, "the body of a request has at most " + engine.limits.requestBytes() + " bytes");
        }
        String expected = request.first("Expect");
        if (expected != null && !expected.equalsIgnoreCase("100-continue")) {
            throw new BadMessage(417, "nothing can be expected but 100-continue");
        }
    }

    /** Asks the origin for what only it may answer. Nothing is stored. */
    private void pass() {
        leads = true;
        fetch = new Fetch(engine, upstream, loop(), question(false), null, this);
        fetch.start();
    }

    /** Asks for the page, alone or with others who miss it. */
    private void ask() {
        boolean shared = !head.headers().has("Authorization") && !asked.noStore();
        Copy about = stale != null && Validators.has(stale.headers()) ? stale : null;
        if (shared && !asked.noCache()) {
            Fetch other = engine.flights.get(key);
            if (other != null && other.join(this)) {
                fetch = other;
                return;
            }
        }
        lead(about, shared);
    }

    private void lead(@Nullable Copy about, boolean shared) {
        Fetch mine = new Fetch(engine, upstream, loop(), question(true), about, this);
        if (shared) {
            Fetch other = engine.flights.putIfAbsent(key, mine);
            if (other != null && !asked.noCache() && other.join(this)) {
                fetch = other;
                return;
            }
        }
        leads = true;
        fetch = mine;
        mine.start();
    }

    private void refreshMeanwhile(Copy copy) {
        Fetch mine =
                new Fetch(engine, upstream, loop(), question(true), Validators.has(copy.headers()) ? copy : null, null);
        if (engine.flights.putIfAbsent(key, mine) == null) {
            mine.start();
        }
    }

    private Question question(boolean mayStore) {
        boolean plain = mayStore && !head.headers().has("Authorization") && !asked.noCache() && !asked.noStore();
        return new Question(head, target, framing, key, asked, mayStore, plain, client.address());
    }

    @Override
    public EventLoop loop() {
        return client.channel().eventLoop();
    }

    @Override
    public Headers request() {
        return head.headers();
    }

    @Override
    public void hint(ResponseHead hint) {
        if (!over && head.minorVersion() == 1 && hint.status() != 100) {
            StringBuilder text = new StringBuilder("HTTP/1.1 " + hint.status() + " " + hint.reason() + "\r\n");
            Passing.write(Hops.endToEnd(hint.headers()), text);
            client.sendAhead(text.append("\r\n").toString());
        }
    }

    @Override
    public void stored(Copy copy, Fetch from) {
        if (!over) {
            serve(copy, leads ? Counters.Source.REVALIDATED : Counters.Source.COALESCED, engine.now());
        }
    }

    @Override
    public void alone() {
        if (!over) {
            leads = true;
            fetch = new Fetch(engine, upstream, loop(), question(true), null, this);
            fetch.start();
        }
    }

    @Override
    public void failed(Failure failure) {
        if (over || standIn()) {
            return;
        }
        refuse(failure.status(), failure.why());
    }

    /** Lets the stale copy stand in for an origin that fails, if that is allowed. */
    private boolean standIn() {
        Copy copy = stale;
        long now = engine.now();
        if (copy == null || !Reuse.insteadOfError(asked, copy.says(), copy.freshness(), engine.staleSeconds, now)) {
            return false;
        }
        serve(copy, Counters.Source.STALE, now);
        return true;
    }

    @Override
    public void begins(Answer answer, Fetch from) {
        if (over) {
            return;
        }
        int status = answer.head().status();
        if (status >= 500 && status != 501 && standIn()) {
            leave(from);
            return;
        }
        if (status == 200
                && from.mayStore()
                && Validators.clientHas(head.headers(), answer.head().headers(), engine.now())) {
            over = true;
            count(answer);
            reply.notModified(answer.head().headers(), statusLine(answer));
            leave(from);
            return;
        }
        over = true;
        count(answer);
        reply.forward(answer, statusLine(answer));
    }

    private void leave(Fetch from) {
        if (leads) {
            from.leave();
        }
    }

    /** What the field Cache-Status says of an answer that was fetched (RFC 9211). */
    private String statusLine(Answer answer) {
        StringBuilder text = new StringBuilder(engine.name);
        if (!reads) {
            text.append("; fwd=method");
        } else if (stale != null) {
            text.append("; fwd=stale; fwd-status=").append(answer.head().status());
        } else {
            text.append(fetch != null && fetch.mayStore() ? "; fwd=uri-miss" : "; fwd=bypass");
        }
        if (answer.kept()) {
            text.append("; stored");
        }
        if (!leads) {
            text.append("; collapsed");
        }
        if (answer.sibling() != null) {
            text.append("; detail=sibling:").append(answer.sibling());
        }
        return text.toString();
    }

    private void count(Answer answer) {
        Counters.Source source;
        if (!leads) {
            source = Counters.Source.COALESCED;
        } else if (answer.sibling() != null) {
            source = Counters.Source.SIBLING;
        } else {
            source = fetch != null && fetch.mayStore() ? Counters.Source.MISS : Counters.Source.PASS;
        }
        engine.counters.answered(source);
    }

    private void serve(Copy copy, Counters.Source from, long now) {
        over = true;
        engine.counters.answered(from);
        reply.copy(copy, statusOf(from), now);
    }

    /** What the field Cache-Status says of an answer with a copy (RFC 9211). */
    private String statusOf(Counters.Source from) {
        return switch (from) {
            case REVALIDATED -> engine.name + "; fwd=stale; fwd-status=304";
            case COALESCED -> engine.name + (stale == null ? "; fwd=uri-miss; collapsed" : "; fwd=stale; collapsed");
            case STALE -> engine.hit + "; detail=stale";
            default -> engine.hit;
        };
    }

    private void refuse(int status, String why) {
        over = true;
        engine.counters.answered(Counters.Source.ERROR);
        reply.error(status, why);
    }

    @Override
    public void upload(UpstreamConnection to) {
        if (over) {
            return;
        }
        line = to;
        if (head.minorVersion() == 1 && head.headers().has("Expect")) {
            client.sendAhead("HTTP/1.1 100 Continue\r\n\r\n");
        }
        client.wantBody(true);
    }

    @Override
    public void room() {
        client.wantBody(true);
    }

    @Override
    public void piece(byte[] piece) {
        UpstreamConnection to = line;
        if (to == null) {
            return;
        }
        byte[] sent = framing.kind() == Framing.Kind.CHUNKED ? Bytes.chunk(piece) : piece;
        if (!to.write(sent)) {
            client.wantBody(false);
        }
    }

    @Override
    public void whole() {
        if (line != null) {
            if (framing.kind() == Framing.Kind.CHUNKED) {
                line.write(Bytes.LAST_CHUNK);
            }
            line.wrote();
        }
    }

    @Override
    public void gone() {
        over = true;
        if (fetch != null) {
            leave(fetch);
            fetch.withdraw(this);
        }
    }
}
