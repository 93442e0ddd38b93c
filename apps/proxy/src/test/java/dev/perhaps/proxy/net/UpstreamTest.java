package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.proxy.CacheListener;
import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Timeouts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections to the origin are limited and used again; changes of the cache are reported, whatever causes them. */
@Timeout(60)
class UpstreamTest {
    private static final String PAGE = "HTTP/1.1 200 OK\nCache-Control: max-age=60\nContent-Length: 5\n\nhello";

    @Test
    void whoFindsNoConnectionFreeWaitsAndIsServed() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        int loops = Runtime.getRuntime().availableProcessors();
        Limits limits = Limits.ofCache(8 << 20).originConnections(loops);
        try (Passage passage = new Passage(
                new RawOrigin((request, out) -> {
                    go.await();
                    out.write(RawOrigin.wire(PAGE));
                    return true;
                }),
                plan -> plan.limits(limits))) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 5 * loops; i++) {
                clients.add(passage.client().request("GET", "/" + i));
            }
            passage.waitFor(() -> passage.origin.requests().size() + passage.figure("perhaps_proxy_origin_waiting")
                    >= clients.size());
            assertThat(passage.origin.requests()).hasSizeLessThanOrEqualTo(loops);
            go.countDown();
            for (RawClient client : clients) {
                assertThat(client.response().body()).isEqualTo("hello");
                client.close();
            }
        }
    }

    @Test
    void whoWaitsTooLongIsToldSo() throws Exception {
        Limits limits = Limits.ofCache(8 << 20).originConnections(1);
        Timeouts quick = Timeouts.usual().responseMillis(500);
        CountDownLatch go = new CountDownLatch(1);
        try (Passage passage = new Passage(
                new RawOrigin((request, out) -> {
                    go.await();
                    return false;
                }),
                plan -> plan.limits(limits).timeouts(quick))) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                clients.add(passage.client().request("GET", "/" + i));
            }
            List<Integer> statuses = new ArrayList<>();
            for (RawClient client : clients) {
                statuses.add(client.response().status());
                client.close();
            }
            assertThat(statuses).contains(503, 504).allMatch(status -> status == 503 || status == 504);
            go.countDown();
        }
    }

    /** Below 64 KiB they have no connection at all before they are whole; above, a part of them. */
    @Test
    void slowUploadsDoNotTakeAllConnections() throws Exception {
        int loops = Runtime.getRuntime().availableProcessors();
        Limits limits = Limits.ofCache(8 << 20).originConnections(4 * loops);
        for (int size : new int[] {1_000, 1_000_000}) {
            try (Passage passage = new Passage(RawOrigin.saying(PAGE), plan -> plan.limits(limits))) {
                List<RawClient> slow = new ArrayList<>();
                for (int i = 0; i < 6 * loops; i++) {
                    slow.add(passage.client()
                            .request("POST", "/" + i, "Content-Length: " + size)
                            .send("x".repeat(size / 2)));
                }
                for (int i = 0; i < 4 * loops; i++) {
                    try (RawClient client = passage.client()) {
                        assertThat(client.get("/page/" + i).body()).isEqualTo("hello");
                    }
                }
                assertThat(passage.origin.requests())
                        .noneMatch(request -> request.line().startsWith("POST"));
                for (RawClient client : slow) {
                    client.send("x".repeat(size / 2));
                    assertThat(client.response().body()).isEqualTo("hello");
                    client.close();
                }
            }
        }
    }

    /**
     * A client leaves while it is being sent a page that the origin has delivered whole. By then the connection that
     * brought the page serves somebody else on the same event loop: connections are assigned to the loops in turn, so
     * each loop has one of the other clients.
     */
    @Test
    void whoLeavesAfterTheOriginHasAnsweredTakesTheConnectionFromNobody() throws Exception {
        int loops = Runtime.getRuntime().availableProcessors();
        int bigBytes = 12 << 20; // more than the buffers of both sockets take
        CountDownLatch go = new CountDownLatch(1);
        try (Passage passage = new Passage(
                new RawOrigin((request, out) -> {
                    if (request.line().contains("/big")) {
                        out.write(RawOrigin.wire("HTTP/1.1 200 OK\nCache-Control: max-age=60\nContent-Length: "
                                + bigBytes + "\n\n" + "x".repeat(bigBytes)));
                    } else {
                        go.await();
                        out.write(RawOrigin.wire(PAGE));
                    }
                    return true;
                }),
                plan -> plan.limits(Limits.ofCache(256 << 20)))) {
            List<RawClient> others = new ArrayList<>();
            try (RawClient leaves = passage.client()) {
                leaves.socket().setReceiveBufferSize(4 << 10);
                assertThat(leaves.request("GET", "/big").head().status()).isEqualTo(200);
                passage.waitFor(() -> passage.proxy.store().pages() == 1);
                for (int i = 0; i < loops; i++) {
                    others.add(passage.client().request("GET", "/" + i));
                }
                passage.waitFor(() -> passage.origin.requests().size() == 1 + loops);
                assertThat(passage.clients()).isEqualTo(1 + loops);
            }
            passage.waitFor(() -> passage.clients() == loops);
            go.countDown();
            for (RawClient other : others) {
                assertThat(other.response().body()).isEqualTo("hello");
                other.close();
            }
        }
    }

    @Test
    void tellsWhatItHolds() throws Exception {
        Set<String> held = ConcurrentHashMap.newKeySet();
        CacheListener contents = new CacheListener() {
            @Override
            public void stored(String key) {
                assertThat(held.add(key)).isTrue();
            }

            @Override
            public void removed(String key) {
                assertThat(held.remove(key)).isTrue();
            }
        };
        try (Passage passage = new Passage(RawOrigin.saying(PAGE), plan -> plan.cacheListener(contents));
                RawClient client = passage.client()) {
            String url = passage.origin.url();
            client.get("/a?b");
            client.get("/c");
            client.get("/c", "Cache-Control: no-cache");
            assertThat(held).containsExactlyInAnyOrder(url + "/a?b", url + "/c");
            client.request("DELETE", "/c").response();
            assertThat(held).containsExactly(url + "/a?b");
        }
    }

    /** n = 3,000 requests of 8 clients for 40 pages of which some are written meanwhile: each response is whole and of its page. */
    @Test
    void givesEverybodyHisOwnAnswer() throws Exception {
        try (Passage passage = new Passage(new RawOrigin((request, out) -> {
            String path = request.line().split(" ", -1)[1];
            String body = path.repeat(1 + path.hashCode() % 500);
            boolean chunks = path.length() % 2 == 0;
            out.write(RawOrigin.wire("HTTP/1.1 200 OK\nCache-Control: max-age=60\n"
                    + (chunks
                            ? "Transfer-Encoding: chunked\n\n" + Integer.toHexString(body.length()) + "\r\n" + body
                                    + "\r\n0\r\n\r\n"
                            : "Content-Length: " + body.length() + "\n\n" + body)));
            return true;
        }))) {
            List<Thread> threads = new ArrayList<>();
            List<String> wrong = java.util.Collections.synchronizedList(new ArrayList<>());
            for (int i = 0; i < 8; i++) {
                java.util.SplittableRandom random = new java.util.SplittableRandom(i);
                threads.add(new Thread(() -> ask(passage, random, wrong)));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(wrong).isEmpty();
        }
    }

    private static void ask(Passage passage, java.util.SplittableRandom random, List<String> wrong) {
        try (RawClient client = passage.client()) {
            for (int i = 0; i < 375; i++) {
                String path = "/" + "x".repeat(random.nextInt(3)) + random.nextInt(40);
                String method = random.nextInt(10) == 0 ? "POST" : "GET";
                RawClient.Response response = client.request(method, path).response();
                if (!response.body().equals(path.repeat(1 + path.hashCode() % 500))) {
                    wrong.add(path + ": " + response);
                }
            }
        } catch (IOException e) {
            wrong.add(e.toString());
        }
    }
}
