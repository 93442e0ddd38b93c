package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.proxy.Counters.Source;
import dev.perhaps.proxy.LookupOutcome;
import dev.perhaps.proxy.SiblingLookup;
import dev.perhaps.proxy.http.Headers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Somebody else is asked before the origin, and told how it ended, exactly once. */
@Timeout(60)
class SiblingLookupTest {
    private static final String PAGE = "HTTP/1.1 200 OK\nCache-Control: max-age=60\nContent-Length: 5\n\n";
    private static final String NO = "HTTP/1.1 504 No\nContent-Length: 2\n\nno";

    /** Sends everybody to one sibling, and writes down what it is told. */
    static final class OneSibling implements SiblingLookup {
        final List<String> told = new CopyOnWriteArrayList<>();
        private final int port;

        private final boolean onlyIfCached;
        private final int timeoutMillis;

        OneSibling(int port) {
            this(port, true, 20_000);
        }

        OneSibling(int port, boolean onlyIfCached, int timeoutMillis) {
            this.port = port;
            this.onlyIfCached = onlyIfCached;
            this.timeoutMillis = timeoutMillis;
        }

        @Override
        public @Nullable Attempt attempt(String key, Headers request) {
            return new Attempt() {
                @Override
                public String name() {
                    return "sister";
                }

                @Override
                public InetSocketAddress address() {
                    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
                }

                @Override
                public int timeoutMillis() {
                    return timeoutMillis;
                }

                @Override
                public void sign(Headers.Builder headers) {
                    if (onlyIfCached) {
                        headers.add("Cache-Control", "only-if-cached");
                    }
                    headers.add("X-Who", "me");
                }

                @Override
                public boolean accepts(int status, Headers response) {
                    return status == 200;
                }

                @Override
                public void end(LookupOutcome outcome) {
                    told.add(
                            outcome instanceof LookupOutcome.Hit hit
                                    ? "hit " + hit.bodyBytes()
                                    : outcome.getClass().getSimpleName().toLowerCase(Locale.ROOT));
                }
            };
        }

        @Override
        public void originResponded(LookupOutcome.Cost cost) {
            told.add("origin");
        }
    }

    @Test
    void takesThePageFromASiblingThatHasIt() throws IOException {
        try (RawOrigin sibling = RawOrigin.saying(PAGE + "there")) {
            OneSibling siblingLookup = new OneSibling(sibling.port());
            try (Passage passage =
                            new Passage(RawOrigin.saying(PAGE + "hello"), plan -> plan.siblingLookup(siblingLookup));
                    RawClient client = passage.client()) {
                RawClient.Response response = client.get("/a");
                assertThat(response.body()).isEqualTo("there");
                assertThat(response.header("Cache-Status"))
                        .isEqualTo("perhaps; fwd=uri-miss; stored; detail=sibling:sister");
                assertThat(client.get("/a").header("Cache-Status")).isEqualTo("perhaps; hit");
                assertThat(sibling.requests()).hasSize(1);
                assertThat(sibling.requests().get(0).header("X-Who")).isEqualTo("me");
                assertThat(sibling.requests().get(0).header("Via")).isEqualTo("1.1 perhaps");
                assertThat(passage.origin.requests()).isEmpty();
                passage.waitFor(() -> !siblingLookup.told.isEmpty());
                assertThat(siblingLookup.told).containsExactly("hit 5");
                assertThat(passage.counters.responses(List.of(Source.SIBLING))).isEqualTo(1);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    @Test
    void asksTheOriginWhenTheSiblingHasNothing() throws Exception {
        try (RawOrigin sibling = RawOrigin.saying(NO)) {
            OneSibling siblingLookup = new OneSibling(sibling.port());
            try (Passage passage =
                            new Passage(RawOrigin.saying(PAGE + "hello"), plan -> plan.siblingLookup(siblingLookup));
                    RawClient client = passage.client()) {
                assertThat(client.get("/a").body()).isEqualTo("hello");
                assertThat(client.get("/b").body()).isEqualTo("hello");
                passage.waitFor(() -> siblingLookup.told.size() == 4);
                assertThat(siblingLookup.told).containsExactly("miss", "origin", "miss", "origin");
                assertThat(passage.origin.requests().get(0).header("X-Who")).isEmpty();
                assertThat(passage.origin.requests().get(0).header("Cache-Control"))
                        .isEmpty();
            }
        }
    }

    @Test
    void asksTheOriginWhenTheSiblingIsDeadLateOrTalksNonsense() throws Exception {
        RawOrigin sibling = RawOrigin.saying("nonsense\n\n");
        OneSibling siblingLookup = new OneSibling(sibling.port(), true, 500);
        try (Passage passage =
                        new Passage(RawOrigin.saying(PAGE + "hello"), plan -> plan.siblingLookup(siblingLookup));
                RawClient client = passage.client()) {
            assertThat(client.get("/nonsense").body()).isEqualTo("hello");
            sibling.script((request, out) -> {
                Thread.sleep(3_000);
                return false;
            });
            assertThat(client.get("/late").body()).isEqualTo("hello");
            sibling.close();
            assertThat(client.get("/dead").body()).isEqualTo("hello");
            passage.waitFor(() -> siblingLookup.told.size() == 6);
            assertThat(siblingLookup.told)
                    .containsExactly("failure", "origin", "failure", "origin", "failure", "origin");
        }
    }

    private static final String TAGGED =
            "HTTP/1.1 200 OK\nCache-Control: max-age=60\nETag: \"1\"\nContent-Length: 10\n\n";

    /** An origin that knows ranges of a page. */
    private static boolean range(RawOrigin.Request request, java.io.OutputStream out, String tag) throws IOException {
        boolean part = request.header("Range").equals("bytes=5-")
                && request.header("If-Range").equals(tag);
        out.write(RawOrigin.wire(
                part
                        ? "HTTP/1.1 206 Part\nETag: " + tag
                                + "\nContent-Range: bytes 5-9/10\nContent-Length: 5\n\nworld"
                        : TAGGED.replace("\"1\"", tag) + "HELLOworld"));
        return true;
    }

    /** It dies, or it says nothing more for longer than the patience with siblings. */
    @Test
    void getsTheRestFromTheOriginWhenTheSiblingStopsHalfWay() throws Exception {
        for (boolean dies : new boolean[] {true, false}) {
            java.util.concurrent.CountDownLatch over = new java.util.concurrent.CountDownLatch(1);
            try (RawOrigin sibling = new RawOrigin((request, out) -> {
                out.write(RawOrigin.wire(TAGGED + "hello"));
                out.flush();
                if (!dies) {
                    over.await();
                }
                return false;
            })) {
                OneSibling siblingLookup = new OneSibling(sibling.port(), true, dies ? 20_000 : 3_000);
                try (Passage passage = new Passage(
                                new RawOrigin((request, out) -> range(request, out, "\"1\"")),
                                plan -> plan.siblingLookup(siblingLookup));
                        RawClient client = passage.client()) {
                    assertThat(client.get("/a").body()).isEqualTo("helloworld");
                    assertThat(client.get("/a").header("Cache-Status")).isEqualTo("perhaps; hit");
                    assertThat(client.get("/a").body()).isEqualTo("helloworld");
                    assertThat(passage.origin.requests()).hasSize(1);
                    assertThat(siblingLookup.told).contains("failure");
                } finally {
                    over.countDown();
                }
            }
        }
    }

    @Test
    void breaksOffWhenTheOriginHasAnotherPageThanTheSiblingThatStoppedHalfWay() throws Exception {
        for (String tag : List.of("\"2\"", "W/\"1\"")) {
            try (RawOrigin sibling = new RawOrigin((request, out) -> {
                out.write(RawOrigin.wire(TAGGED.replace("\"1\"", tag.startsWith("W") ? tag : "\"1\"") + "hello"));
                return false;
            })) {
                OneSibling siblingLookup = new OneSibling(sibling.port());
                try (Passage passage = new Passage(
                                new RawOrigin((request, out) -> range(request, out, tag)),
                                plan -> plan.siblingLookup(siblingLookup));
                        RawClient client = passage.client()) {
                    assertThatThrownBy(() -> client.get("/a")).as(tag).isInstanceOf(IOException.class);
                    assertThat(passage.proxy.store().pages()).isZero();
                }
            }
        }
    }

    @Test
    void getsAllFromTheOriginWhenTheSiblingStopsBehindTheHead() throws Exception {
        try (RawOrigin sibling = new RawOrigin((request, out) -> {
            out.write(RawOrigin.wire(PAGE));
            return false;
        })) {
            OneSibling siblingLookup = new OneSibling(sibling.port());
            try (Passage passage =
                            new Passage(RawOrigin.saying(PAGE + "hello"), plan -> plan.siblingLookup(siblingLookup));
                    RawClient client = passage.client()) {
                assertThat(client.get("/a").body()).isEqualTo("hello");
                assertThat(siblingLookup.told).containsExactly("failure", "origin");
            }
        }
    }

    @Test
    void tellsASiblingNothingOfWhoTheClientIs() throws Exception {
        try (RawOrigin sibling = RawOrigin.saying(PAGE + "there")) {
            OneSibling siblingLookup = new OneSibling(sibling.port());
            try (Passage passage =
                            new Passage(RawOrigin.saying(PAGE + "hello"), plan -> plan.siblingLookup(siblingLookup));
                    RawClient client = passage.client()) {
                assertThat(client.get("/a", "Cookie: id=7", "X-API-Key: k", "Accept: x")
                                .body())
                        .isEqualTo("there");
                RawOrigin.Request asked = sibling.requests().get(0);
                assertThat(asked.header("Accept")).isEqualTo("x");
                assertThat(asked.header("Cookie") + asked.header("X-API-Key")).isEmpty();
                assertThat(asked.header("Cache-Control")).isEqualTo("only-if-cached");
                sibling.script((request, out) -> {
                    out.write(RawOrigin.wire(PAGE.replace("Content-Length", "Vary: Cookie\nContent-Length") + "there"));
                    return true;
                });
                assertThat(client.get("/b", "Cookie: id=7").body()).isEqualTo("hello");
                assertThat(passage.origin.requests().get(0).header("Cookie")).isEqualTo("id=7");
            }
        }
    }

    @Test
    void leavesToTheOriginWhatIsOnlyForTheOrigin() throws Exception {
        try (RawOrigin sibling = RawOrigin.saying(PAGE + "there")) {
            OneSibling siblingLookup = new OneSibling(sibling.port());
            try (Passage passage =
                            new Passage(RawOrigin.saying(PAGE + "hello"), plan -> plan.siblingLookup(siblingLookup));
                    RawClient client = passage.client()) {
                client.get("/a", "Authorization: Basic x");
                client.get("/b", "Range: bytes=0-1");
                client.get("/c", "Cache-Control: no-cache");
                client.get("/d", "If-Match: \"1\"");
                client.request("DELETE", "/e").response();
                client.request("HEAD", "/f");
                client.head();
                assertThat(sibling.requests()).isEmpty();
            }
        }
    }
}
