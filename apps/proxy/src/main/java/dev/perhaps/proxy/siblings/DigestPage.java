package dev.perhaps.proxy.siblings;

import dev.perhaps.proxy.Origin;
import dev.perhaps.proxy.Router;
import dev.perhaps.proxy.http.Headers;
import dev.perhaps.proxy.sharing.Holdings;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The page at which siblings fetch the digest of what is held here; {@code docs/cache-digests.md} has it to the byte. */
final class DigestPage implements Router.Page {
    static final String PATH = "/.well-known/perhaps-digest";
    static final String TYPE = "application/vnd.perhaps.digest";

    /** A digest is published on request if at least this share of the pages is new. */
    private static final double FRESH = 0.01;

    private final Holdings holdings;
    private final Origin origin;
    private final @Nullable SiblingSecret secret;
    private final boolean certificates;
    private final LongAdder sent = new LongAdder();
    private final LongAdder sentBytes = new LongAdder();

    /** @param certificates true if clients need a certificate to get it */
    DigestPage(Holdings holdings, Origin origin, @Nullable SiblingSecret secret, boolean certificates) {
        this.holdings = holdings;
        this.origin = origin;
        this.secret = secret;
        this.certificates = certificates;
    }

    /** Returns the path and query to request what is newer than this version of this epoch. */
    static String target(Origin origin, long epoch, long version) {
        return PATH + "?epoch=" + Long.toHexString(epoch) + "&version=" + version + "&origin="
                + URLEncoder.encode(origin.url(), StandardCharsets.UTF_8);
    }

    long sent() {
        return sent.sum();
    }

    long sentBytes() {
        return sentBytes.sum();
    }

    @Override
    public Router.Response response(Router.Request request) {
        String target = request.query().isEmpty() ? request.path() : request.path() + "?" + request.query();
        if (certificates && !request.certified()) {
            return refused(403, "digests are for siblings: the request came without a certificate of their authority");
        }
        String nonce = "";
        if (secret != null) {
            String header = request.headers().first(SiblingSecret.REQUEST);
            String checked = secret.check(request.method(), target, header, System.currentTimeMillis());
            if (checked == null) {
                return refused(
                        403, "digests are for siblings: the request is not signed with the common secret, or late");
            }
            nonce = checked;
        }
        if (!request.method().equals("GET")) {
            return refused(405, "a digest is fetched by GET");
        }
        String theirs = parameter(request.query(), "origin");
        if (!origin.url().equals(theirs)) {
            return refused(409, "this proxy stands before " + origin.url() + ", not before " + theirs);
        }
        long epoch;
        long version;
        try {
            epoch = Long.parseUnsignedLong(parameter(request.query(), "epoch"), 16);
            version = Long.parseLong(parameter(request.query(), "version"));
        } catch (NumberFormatException e) {
            return refused(400, "a digest is asked for with epoch, version and origin");
        }
        if (holdings.version() == 0 || holdings.freshShare() >= FRESH) {
            holdings.publish();
        }
        byte[] message = holdings.since(epoch, version);
        sent.increment();
        sentBytes.add(message.length);
        Headers.Builder headers =
                new Headers.Builder().add("Content-Type", TYPE).add("Cache-Control", "no-store");
        if (secret != null) {
            headers.add(SiblingSecret.ANSWER, secret.signAnswer(nonce, message));
        }
        return new Router.Response(200, headers.build(), message);
    }

    private static Router.Response refused(int status, String why) {
        return Router.Response.text(status, "text/plain; charset=utf-8", why + "\n");
    }

    private static String parameter(String query, String name) {
        for (String each : query.split("&", 16)) {
            if (each.startsWith(name + "=")) {
                try {
                    return URLDecoder.decode(each.substring(name.length() + 1), StandardCharsets.UTF_8);
                } catch (IllegalArgumentException e) {
                    return "";
                }
            }
        }
        return "";
    }
}
