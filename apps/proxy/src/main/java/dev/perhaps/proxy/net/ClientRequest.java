package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Counters;
import dev.perhaps.proxy.cache.Copy;
import dev.perhaps.proxy.http.BadMessage;
import dev.perhaps.proxy.http.CacheControl;
import dev.perhaps.proxy.http.Framing;
import dev.perhaps.proxy.http.Headers;
import dev.perhaps.proxy.http.HopByHop;
import dev.perhaps.proxy.http.RequestHead;
import dev.perhaps.proxy.http.ResponseHead;
import dev.perhaps.proxy.http.Reuse;
import dev.perhaps.proxy.http.Target;
import dev.perhaps.proxy.http.Validators;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One request of a client, from its head to its response. Confined to the event loop of the client. */
final class ClientRequest implements Service.Serving, Participant {
    private static final int MAX_WAITING_BODY_BYTES = 64 << 10;

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
    private @Nullable PageFetch fetch;
    private boolean leads;
    private boolean over;
    private @Nullable UpstreamConnection line;
    private @Nullable Headers sent;
    private final List<byte[]> upload = new ArrayList<>();
    private long uploadBytes;
    private boolean uploadWhole;
    private @Nullable ScheduledFuture<?> joinTimer;

    ClientRequest(
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
        if (!framing.isEmpty()) {
            if (head.minorVersion() == 1 && request.has("Expect")) {
                client.socket().sendAhead("HTTP/1.1 100 Continue\r\n\r\n");
            }
            client.wantBody(true);
            return;
        }
        if (!reads || Validators.onlyForOrigin(request)) {
            pass();
            return;
        }
        long now = engine.pageMillis();
        Copy copy = engine.store.find(key, this::request);
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
            throw new BadMessage(405, "method " + head.method() + " is not supported by this proxy");
        }
        if (request.has("Upgrade") && !HopByHop.has(request, "Upgrade", "h2c")) {
            throw new BadMessage(501, "Upgrade is not supported: only HTTP/1.1");
        }
        if (HopByHop.wasAt(engine.plan.name(), request)) {
            throw new BadMessage(508, "the request has already passed this proxy: the origin leads back to it");
        }
        if (!engine.plan.siblingLookup().admits(head.method(), target.path(), request, client.socket()::isCertified)) {
            throw new BadMessage(
                    403,
                    "the request claims to come from a sibling, but its signature or certificate is missing, invalid or"
                            + " expired");
        }
        if (framing.lengthBytes() > engine.plan.limits().requestBytes()) {
            throw new BadMessage(
                    413,
                    "the body of a request has at most " + engine.plan.limits().requestBytes() + " bytes");
        }
        String expected = request.first("Expect");
        if (expected != null && !expected.equalsIgnoreCase("100-continue")) {
            throw new BadMessage(417, "unsupported Expect value: only 100-continue");
        }
    }

    /** Forwards a request that only the origin may respond to. Nothing is stored. */
    private void pass() {
        leads = true;
        fetch = new PageFetch(engine, upstream, loop(), forwarded(false), null, this);
        fetch.start();
    }

    /** Requests the page, shared with other clients that miss it if possible. */
    private void ask() {
        boolean shared = !head.headers().has("Authorization") && !asked.noStore();
        Copy about = stale != null && Validators.has(stale.headers()) ? stale : null;
        if (shared && !asked.noCache()) {
            PageFetch other = engine.flights.get(key);
            if (other != null && join(other)) {
                return;
            }
        }
        lead(about, shared);
    }

    private void lead(@Nullable Copy about, boolean shared) {
        PageFetch mine = new PageFetch(engine, upstream, loop(), forwarded(true), about, this);
        if (shared) {
            PageFetch other = engine.flights.putIfAbsent(key, mine);
            if (other != null && !asked.noCache() && join(other)) {
                return;
            }
            if (other != null && other.isQueuedForOther(client.socket().addressKey())) {
                engine.flights.replace(key, other, mine); // others join the one that has a better chance
            }
        }
        leads = true;
        fetch = mine;
        mine.start();
    }

    /** Waits for the response to another client's request, for a limited time. */
    private boolean join(PageFetch other) {
        if (other.isQueuedForOther(client.socket().addressKey()) || !other.join(this)) {
            return false;
        }
        fetch = other;
        joinTimer = loop().schedule(
                        () -> {
                            if (!over && other.withdraw(this)) {
                                alone();
                            }
                        },
                        engine.plan.timeouts().lockMillis(),
                        TimeUnit.MILLISECONDS);
        return true;
    }

    private void finish() {
        over = true;
        if (joinTimer != null) {
            joinTimer.cancel(false);
        }
    }

    private void refreshMeanwhile(Copy copy) {
        PageFetch mine = new PageFetch(
                engine, upstream, loop(), forwarded(true), Validators.has(copy.headers()) ? copy : null, null);
        if (engine.flights.putIfAbsent(key, mine) == null) {
            mine.start();
        }
    }

    private ForwardedRequest forwarded(boolean mayStore) {
        boolean plain = mayStore && !head.headers().has("Authorization") && !asked.noCache() && !asked.noStore();
        Headers passed = mayStore
                ? request()
                : ForwardedRequest.sent(
                        engine, head, target, framing, true, client.socket().address());
        return new ForwardedRequest(
                head,
                target,
                framing,
                key,
                asked,
                mayStore,
                plain,
                passed,
                client.socket().addressKey());
    }

    @Override
    public EventLoop loop() {
        return client.socket().loop();
    }

    @Override
    public Headers request() {
        Headers passed = sent;
        if (passed == null) {
            passed = ForwardedRequest.sent(
                    engine, head, target, framing, false, client.socket().address());
            sent = passed;
        }
        return passed;
    }

    @Override
    public void hint(ResponseHead hint) {
        if (!over && head.minorVersion() == 1 && hint.status() != 100) {
            StringBuilder text = new StringBuilder("HTTP/1.1 " + hint.status() + " " + hint.reason() + "\r\n");
            HeadWriter.write(HopByHop.endToEnd(hint.headers()), text);
            client.socket().sendAhead(text.append("\r\n").toString());
        }
    }

    @Override
    public void stored(Copy copy, PageFetch from) {
        if (!over) {
            serve(copy, leads ? Counters.Source.REVALIDATED : Counters.Source.COALESCED, engine.pageMillis());
        }
    }

    @Override
    public void alone() {
        if (!over) {
            if (joinTimer != null) {
                joinTimer.cancel(false);
            }
            leads = true;
            fetch = new PageFetch(engine, upstream, loop(), forwarded(true), null, this);
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

    /** Serves the stale copy in place of an origin that fails, if that is allowed. */
    private boolean standIn() {
        Copy copy = stale;
        long now = engine.pageMillis();
        if (copy == null
                || !Reuse.insteadOfError(
                        asked, copy.says(), copy.freshness(), engine.plan.staleIfErrorSeconds(), now)) {
            return false;
        }
        serve(copy, Counters.Source.STALE, now);
        return true;
    }

    @Override
    public void begins(Response response, PageFetch from) {
        if (over) {
            return;
        }
        int status = response.head().status();
        if (status >= 500 && status != 501 && standIn()) {
            leave(from);
            return;
        }
        if (status == 200
                && from.mayStore()
                && Validators.clientHas(head.headers(), response.head().headers(), engine.now())) {
            finish();
            count(response);
            reply.notModified(response.head().headers(), statusLine(response));
            leave(from);
            return;
        }
        finish();
        count(response);
        reply.forward(response, statusLine(response));
    }

    private void leave(PageFetch from) {
        if (leads) {
            from.leave();
        }
    }

    /** What the field Cache-Status says of a response that was fetched (RFC 9211). */
    private String statusLine(Response response) {
        StringBuilder text = forwarded();
        if (reads && stale != null) {
            text.append("; fwd-status=").append(response.head().status());
        }
        if (response.kept()) {
            text.append("; stored");
        }
        if (!leads) {
            text.append("; collapsed");
        }
        if (response.sibling() != null) {
            text.append("; detail=sibling:").append(response.sibling());
        }
        return text.toString();
    }

    /** Why the request was passed on. */
    private StringBuilder forwarded() {
        StringBuilder text = new StringBuilder(engine.plan.name());
        if (!reads) {
            return text.append("; fwd=method");
        }
        if (stale != null) {
            return text.append("; fwd=stale");
        }
        return text.append(fetch != null && fetch.mayStore() ? "; fwd=uri-miss" : "; fwd=bypass");
    }

    private void count(Response response) {
        Counters.Source source;
        if (!leads) {
            source = Counters.Source.COALESCED;
        } else if (response.sibling() != null) {
            source = Counters.Source.SIBLING;
        } else {
            source = fetch != null && fetch.mayStore() ? Counters.Source.MISS : Counters.Source.PASS;
        }
        responded(source);
    }

    private void responded(Counters.Source source) {
        engine.plan.counters().responded(source);
        client.respondsFrom(source.word());
    }

    private void serve(Copy copy, Counters.Source from, long now) {
        finish();
        responded(from);
        reply.copy(copy, statusOf(from), now);
    }

    /** What the field Cache-Status says of a response with a copy (RFC 9211). */
    private String statusOf(Counters.Source from) {
        return switch (from) {
            case REVALIDATED -> engine.plan.name() + "; fwd=stale; fwd-status=304";
            case COALESCED ->
                engine.plan.name() + (stale == null ? "; fwd=uri-miss; collapsed" : "; fwd=stale; collapsed");
            case STALE -> engine.hit + "; detail=stale";
            default -> engine.hit;
        };
    }

    private void refuse(int status, String why) {
        finish();
        responded(Counters.Source.ERROR);
        reply.error(
                status, why, (fetch == null ? engine.plan.name() : forwarded().toString()) + "; detail=error");
    }

    /*
     * The body of a request is read before a connection to the origin is taken, up to a limit: a client that sends it slowly
     * takes a little memory and no connection. Only who has sent that much goes on with a connection of its own.
     */
    @Override
    public void piece(byte[] piece) {
        UpstreamConnection to = line;
        if (to != null) {
            if (!to.write(framed(piece))) {
                client.wantBody(false);
            }
            return;
        }
        upload.add(piece);
        uploadBytes += piece.length;
        client.bodyWaits(uploadBytes);
        if (uploadBytes >= MAX_WAITING_BODY_BYTES) {
            client.wantBody(false);
            if (fetch == null) {
                pass();
            }
        }
    }

    private byte[] framed(byte[] piece) {
        return framing.kind() == Framing.Kind.CHUNKED ? HeadWriter.chunk(piece) : piece;
    }

    @Override
    public void whole() {
        uploadWhole = true;
        if (line != null) {
            end(line);
        } else if (fetch == null) {
            pass();
        }
    }

    private void end(UpstreamConnection to) {
        if (framing.kind() == Framing.Kind.CHUNKED) {
            to.write(HeadWriter.LAST_CHUNK);
        }
        to.wrote();
    }

    @Override
    public boolean hasWholeBody() {
        return uploadWhole;
    }

    @Override
    public void upload(UpstreamConnection to) {
        if (over) {
            return;
        }
        line = to;
        boolean room = true;
        for (byte[] piece : upload) {
            room = to.write(framed(piece));
        }
        upload.clear();
        client.bodyWaits(0);
        if (uploadWhole) {
            end(to);
        } else {
            client.wantBody(room);
        }
    }

    @Override
    public void room() {
        if (!uploadWhole) {
            client.wantBody(true);
        }
    }

    @Override
    public void gone() {
        finish();
        upload.clear();
        if (fetch != null) {
            leave(fetch);
            fetch.withdraw(this);
        }
    }
}
