package dev.perhaps.proxy.siblings;

import dev.perhaps.proxy.sharing.DigestCopy;
import dev.perhaps.proxy.sharing.SiblingView;
import dev.perhaps.web.ReloadingTls;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Fetches digests from siblings. Nobody waits for it; a response that is late, too long or not signed is a failure. */
final class DigestFetcher {
    private static final int SLOWEST = 10;

    private final SharingPlan plan;
    private final long maxBytes;
    private final Executor executor;
    private final @Nullable ReloadingTls tls;
    private @Nullable HttpClient client;

    /** @param tls null: siblings are reached without it */
    DigestFetcher(SharingPlan plan, long maxBytes, Executor executor, @Nullable ReloadingTls tls) {
        this.plan = plan;
        this.maxBytes = maxBytes;
        this.executor = executor;
        this.tls = tls;
    }

    /** With the certificate as it is now: a new client after each change of the files, for one has one context for good. */
    private synchronized HttpClient client() {
        SSLContext context = tls == null ? null : tls.context();
        HttpClient last = client;
        if (last != null && (context == null || last.sslContext() == context)) {
            return last;
        }
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofMillis(plan.timeoutMillis()))
                .proxy(HttpClient.Builder.NO_PROXY)
                .executor(executor);
        HttpClient fresh = (context == null ? builder : builder.sslContext(context)).build();
        client = fresh;
        return fresh;
    }

    /** The next digest of a sibling, as it is sent. */
    CompletableFuture<byte[]> fetch(SiblingView sibling, InetSocketAddress at) {
        DigestCopy.State have = sibling.digest();
        String target =
                DigestPage.target(plan.origin(), have == null ? 0 : have.epoch(), have == null ? 0 : have.version());
        HttpRequest.Builder request =
                HttpRequest.newBuilder(url(at, target)).timeout(Duration.ofMillis(plan.timeoutMillis()));
        SiblingSecret secret = plan.secret();
        SiblingSecret.Signed signed =
                secret == null ? null : secret.sign("GET", target, plan.name(), System.currentTimeMillis());
        if (signed != null) {
            request.header(SiblingSecret.REQUEST, signed.header());
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        HttpResponse.BodyHandler<Void> bounded = HttpResponse.BodyHandlers.ofByteArrayConsumer(piece -> {
            if (body.size() + piece.map(bytes -> bytes.length).orElse(0) > maxBytes) {
                throw new IllegalStateException("the digest is longer than " + maxBytes + " bytes");
            }
            piece.ifPresent(body::writeBytes);
        });
        CompletableFuture<HttpResponse<Void>> sent =
                client().sendAsync(request.GET().build(), bounded);
        return sent.copy()
                .orTimeout((long) SLOWEST * plan.timeoutMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((response, failure) -> {
                    if (failure != null) {
                        sent.cancel(true); // or it goes on, with the connection and all that comes
                    }
                })
                .thenCompose(response -> {
                    byte[] message = body.toByteArray();
                    if (response.statusCode() != 200) {
                        return refused("it responds with " + response.statusCode() + ": " + line(message));
                    }
                    String proof =
                            response.headers().firstValue(SiblingSecret.ANSWER).orElse(null);
                    if (secret != null && signed != null && !secret.checkAnswer(signed.nonce(), message, proof)) {
                        return refused("its digest is not signed with the common secret");
                    }
                    return CompletableFuture.completedFuture(message);
                });
    }

    private URI url(InetSocketAddress at, String target) {
        URI url = url(at.getHostString(), at.getPort(), target);
        if (url.getHost() != null || tls != null) {
            return url;
        }
        // A name with '_', which containers often have, is no host for Java's client, though it can be looked up.
        return url(at.getAddress().getHostAddress(), at.getPort(), target);
    }

    private URI url(String host, int port, String target) {
        String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return URI.create((tls == null ? "http://" : "https://") + name + ":" + port + target);
    }

    private static CompletableFuture<byte[]> refused(String why) {
        return CompletableFuture.failedFuture(new IOException(why));
    }

    /** What an error says, in one short line of plain letters. */
    private static String line(byte[] body) {
        String text = new String(body, 0, Math.min(body.length, 200), java.nio.charset.StandardCharsets.UTF_8);
        return text.replaceAll("[^\\x20-\\x7e]+", " ").strip();
    }
}
