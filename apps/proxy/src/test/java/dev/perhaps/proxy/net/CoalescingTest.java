package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.proxy.Counters.Source;
import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Timeouts;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many who miss the same page at the same time. */
@Timeout(60)
class CoalescingTest {
    private static final int CLIENTS = 20;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicInteger started = new AtomicInteger();
    private final AtomicInteger heads = new AtomicInteger();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    /** Starts all clients, and returns when each has asked the origin, waits for another's response, or has its head. */
    private List<Future<RawClient.Response>> all(Passage passage, Callable<RawClient.Response> one) throws Exception {
        List<Future<RawClient.Response>> responses = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            responses.add(threads.submit(one));
        }
        int asked = started.addAndGet(CLIENTS);
        passage.waitFor(() -> passage.proxy.waitingForFetches()
                        + Math.max(heads.get(), passage.origin.requests().size())
                >= asked);
        return responses;
    }

    private RawClient.Response get(Passage passage, String path, String... headers) throws IOException {
        try (RawClient client = passage.client()) {
            RawClient.Response head = client.request("GET", path, headers).head();
            heads.incrementAndGet();
            return client.rest("GET", head);
        }
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    /** Before the head, behind the head, in chunks. */
    @Test
    void makeOneRequest() throws Exception {
        for (String way : List.of("wait-head", "wait-body", "chunks")) {
            CountDownLatch now = new CountDownLatch(1);
            started.set(0);
            heads.set(0);
            try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                if (way.equals("wait-head")) {
                    now.await();
                }
                boolean chunks = way.equals("chunks");
                write(
                        out,
                        "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n"
                                + (chunks ? "Transfer-Encoding: chunked\r\n\r\n5\r\n" : "Content-Length: 10\r\n\r\n")
                                + "hello");
                now.await();
                write(out, chunks ? "\r\n5\r\nworld\r\n0\r\n\r\n" : "world");
                return true;
            }))) {
                List<Future<RawClient.Response>> responses = all(passage, () -> get(passage, "/a"));
                now.countDown();
                for (Future<RawClient.Response> response : responses) {
                    assertThat(response.get().body()).isEqualTo("helloworld");
                }
                assertThat(passage.origin.requests()).as(way).hasSize(1);
                assertThat(passage.counters.responses(List.of(Source.MISS))).isEqualTo(1);
                assertThat(passage.counters.responses(List.of(Source.COALESCED, Source.HIT)))
                        .isEqualTo(CLIENTS - 1);
            }
        }
    }

    /** While a page is on its way, another one is written whose URL has the same hash code: that must not keep it out. */
    @Test
    void aWriteToAnotherPageLeavesThisOneToTheCache() throws Exception {
        assertThat(cachedAfterPostTo("/page/BB", "/page/Aa")).isTrue();
        assertThat(cachedAfterPostTo("/page/Aa", "/page/Aa")).isFalse();
    }

    private static boolean cachedAfterPostTo(String written, String read) throws Exception {
        CountDownLatch post = new CountDownLatch(1);
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    if (request.line().startsWith("GET")) {
                        post.await();
                    }
                    write(out, "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 5\r\n\r\nhello");
                    return true;
                }));
                RawClient reads = passage.client();
                RawClient writes = passage.client()) {
            reads.request("GET", read);
            passage.waitFor(() -> passage.origin.requests().size() == 1);
            assertThat(writes.request("POST", written, "Content-Length: 0")
                            .response()
                            .status())
                    .isEqualTo(200);
            post.countDown();
            assertThat(reads.response().body()).isEqualTo("hello");
            return reads.get(read).header("Cache-Status").contains("hit");
        }
    }

    @Test
    void getWhatHasComeBeforeTheRestIsThere() throws Exception {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    write(out, "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 10\r\n\r\nhello");
                    go.await();
                    write(out, "world");
                    return true;
                }));
                RawClient first = passage.client();
                RawClient second = passage.client()) {
            first.request("GET", "/a").head();
            assertThat(first.exactly(5)).asString(StandardCharsets.US_ASCII).isEqualTo("hello");
            second.request("GET", "/a").head();
            assertThat(second.exactly(5)).asString(StandardCharsets.US_ASCII).isEqualTo("hello");
            go.countDown();
            assertThat(second.exactly(5)).asString(StandardCharsets.US_ASCII).isEqualTo("world");
            assertThat(first.exactly(5)).asString(StandardCharsets.US_ASCII).isEqualTo("world");
            assertThat(passage.origin.requests()).hasSize(1);
        }
    }

    @Test
    void askForThemselvesWhenTheAnswerIsNotForThem() throws Exception {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
            go.await();
            write(out, "HTTP/1.1 200 OK\r\nCache-Control: private\r\nContent-Length: 5\r\n\r\nhello");
            return true;
        }))) {
            List<Future<RawClient.Response>> responses = all(passage, () -> get(passage, "/a"));
            assertThat(passage.origin.requests()).hasSize(1);
            go.countDown();
            for (Future<RawClient.Response> response : responses) {
                assertThat(response.get().body()).isEqualTo("hello");
            }
            assertThat(passage.origin.requests()).hasSize(CLIENTS);
        }
    }

    @Test
    void getTheirOwnVariant() throws Exception {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
            go.await();
            String variant = request.header("Accept");
            write(
                    out,
                    "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nVary: Accept\r\nContent-Length: "
                            + variant.length() + "\r\n\r\n" + variant);
            return true;
        }))) {
            List<Future<RawClient.Response>> a = all(passage, () -> get(passage, "/a", "Accept: a"));
            List<Future<RawClient.Response>> b = all(passage, () -> get(passage, "/a", "Accept: bb"));
            go.countDown();
            for (int i = 0; i < CLIENTS; i++) {
                assertThat(a.get(i).get().body()).isEqualTo("a");
                assertThat(b.get(i).get().body()).isEqualTo("bb");
            }
            assertThat(get(passage, "/a", "Accept: a").header("Cache-Status")).isEqualTo("perhaps; hit");
            assertThat(get(passage, "/a", "Accept: bb").header("Cache-Status")).isEqualTo("perhaps; hit");
        }
    }

    @Test
    void neverWaitForWhoHasLoggedIn() throws Exception {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
            if (!request.header("Authorization").isEmpty()) {
                go.await();
            }
            write(out, "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 5\r\n\r\nhello");
            return true;
        }))) {
            Future<RawClient.Response> secret = threads.submit(() -> get(passage, "/a", "Authorization: x"));
            passage.waitFor(() -> passage.origin.requests().size() == 1);
            assertThat(get(passage, "/a").body()).isEqualTo("hello");
            go.countDown();
            assertThat(secret.get().body()).isEqualTo("hello");
        }
    }

    @Test
    void askForThemselvesWhenTheFirstOneWaitsTooLong() throws Exception {
        Timeouts quick = Timeouts.usual().lockMillis(200);
        AtomicInteger asked = new AtomicInteger();
        try (Passage passage = new Passage(
                new RawOrigin((request, out) -> {
                    if (asked.incrementAndGet() == 1) {
                        go.await();
                    }
                    write(out, "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 5\r\n\r\nhello");
                    return true;
                }),
                plan -> plan.timeouts(quick))) {
            Future<RawClient.Response> first = threads.submit(() -> get(passage, "/a"));
            passage.waitFor(() -> passage.origin.requests().size() == 1);
            assertThat(get(passage, "/a").body()).isEqualTo("hello");
            go.countDown();
            assertThat(first.get().body()).isEqualTo("hello");
            assertThat(passage.origin.requests()).hasSize(2);
        }
    }

    /** A connection to the origin is not kept busy for nobody. */
    @Test
    void takeTheRequestBackWhenAllHaveLeft() throws Exception {
        CountDownLatch gone = new CountDownLatch(1);
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
            go.await();
            try {
                for (int i = 0; i < 1_000_000; i++) {
                    write(out, "HTTP/1.1 103 Early Hints\r\n\r\n");
                }
            } finally {
                gone.countDown();
            }
            return false;
        }))) {
            try (RawClient first = passage.client();
                    RawClient second = passage.client()) {
                first.request("GET", "/a");
                passage.waitFor(() -> passage.origin.requests().size() == 1);
                second.request("GET", "/a");
                passage.waitFor(() -> passage.clients() == 2);
            }
            passage.waitFor(() -> passage.clients() == 0);
            go.countDown();
            gone.await();
        }
    }

    @Test
    void shareTheFailureOfAnOriginThatDoesNotAnswer() throws Exception {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
            go.await();
            return false;
        }))) {
            List<Future<RawClient.Response>> responses = all(passage, () -> get(passage, "/a"));
            go.countDown();
            for (Future<RawClient.Response> response : responses) {
                assertThat(response.get().status()).isEqualTo(502);
            }
            assertThat(passage.origin.requests()).hasSize(1);
        }
    }

    @Test
    void seeThatTheAnswerBrokeOff() throws Exception {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
            write(out, "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 10\r\n\r\nhello");
            go.await();
            return false;
        }))) {
            List<Future<RawClient.Response>> responses = all(passage, () -> get(passage, "/a"));
            go.countDown();
            for (Future<RawClient.Response> response : responses) {
                assertThatThrownBy(response::get).hasRootCauseInstanceOf(IOException.class);
            }
            assertThat(passage.origin.requests()).hasSize(1);
            assertThat(passage.proxy.store().pages()).isZero();
        }
    }

    @Test
    void areNotStoppedByOneWhoDoesNotRead() throws Exception {
        String body = "x".repeat(3_000_000);
        Limits limits = Limits.ofCache(64 << 20);
        try (Passage passage = new Passage(
                        new RawOrigin((request, out) -> {
                            go.await();
                            write(
                                    out,
                                    "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: " + body.length()
                                            + "\r\n\r\n" + body);
                            return true;
                        }),
                        plan -> plan.limits(limits));
                RawClient lazy = passage.client();
                RawClient keen = passage.client()) {
            lazy.request("GET", "/a");
            passage.waitFor(() -> passage.origin.requests().size() == 1);
            keen.request("GET", "/a");
            passage.waitFor(() -> passage.proxy.waitingForFetches() == 1);
            go.countDown();
            assertThat(keen.response().bytes()).hasSize(body.length());
            assertThat(keen.get("/a").header("Cache-Status")).isEqualTo("perhaps; hit");
            assertThat(lazy.response().bytes()).hasSize(body.length());
            assertThat(passage.origin.requests()).hasSize(1);
        }
    }

    @Test
    void goOnWhenTheFirstOneLeaves() throws Exception {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
                    go.await();
                    write(out, "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 5\r\n\r\nhello");
                    return true;
                }));
                RawClient second = passage.client()) {
            try (RawClient first = passage.client()) {
                first.request("GET", "/a");
                passage.waitFor(() -> passage.origin.requests().size() == 1);
                second.request("GET", "/a");
                passage.waitFor(() -> passage.proxy.waitingForFetches() == 1);
            }
            passage.waitFor(() -> passage.clients() == 1);
            go.countDown();
            assertThat(second.response().body()).isEqualTo("hello");
            assertThat(passage.origin.requests()).hasSize(1);
        }
    }
}
