package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which clients are idle, and what runs now and then: the timer of a server. */
@Timeout(120)
class IdleIT {
    private static SketchServer.Plan plan() {
        return SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** The setting was for connections that came later. */
    @Test
    void aTimeoutThatIsSetIsForAllClients() throws IOException {
        try (SketchServer server = plan().threads(1).open();
                Wire idle = new Wire(server.address());
                Wire operator = new Wire(server.address())) {
            assertThat(idle.call("PING")).isEqualTo("+PONG⏎");
            assertThat(operator.call("CONFIG", "SET", "timeout", "1")).isEqualTo("+OK⏎");
            assertThat(idle.isClosed()).isTrue();
        }
    }

    /** It was closed in the middle of the reply, because it sent nothing meanwhile. */
    @Test
    void aClientThatReadsSlowlyIsNotIdle() throws Exception {
        int size = 48 << 20;
        try (SketchServer server = plan().threads(1).open();
                Wire setting = new Wire(server.address());
                Socket slow = new Socket()) {
            assertThat(setting.call("SET", "long", "x".repeat(size))).isEqualTo("+OK⏎");
            assertThat(setting.call("CONFIG", "SET", "timeout", "1")).isEqualTo("+OK⏎");
            slow.setReceiveBufferSize(1 << 16);
            slow.connect(server.address());
            slow.getOutputStream().write("GET long\r\n".getBytes(StandardCharsets.US_ASCII));
            InputStream in = slow.getInputStream();
            // Two clients are idle, one after the other, until that time has passed.
            CompletableFuture<Void> later = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 2; i++) {
                    try (Wire idle = new Wire(server.address())) {
                        assertThat(idle.isClosed()).isTrue();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            });
            byte[] part = new byte[1 << 16];
            long left = (long) size + ("$" + size + "\r\n\r\n").length();
            boolean isLater = false;
            while (left > 0) {
                int count = in.read(part);
                assertThat(count).as("bytes, where " + left + " are left").isPositive();
                left -= count;
                isLater = isLater || isDone(later);
            }
            assertThat(isLater).isTrue();
        }
    }

    private static boolean isDone(CompletableFuture<Void> future) throws Exception {
        try {
            future.get(10, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    /** A client that reads nothing of its reply was closed before, and is. */
    @Test
    void aClientThatReadsNothingIsIdle() throws Exception {
        try (SketchServer server = plan().threads(1).open();
                Wire setting = new Wire(server.address());
                Socket deaf = new Socket()) {
            setting.call("SET", "long", "x".repeat(48 << 20));
            deaf.setReceiveBufferSize(1 << 16);
            deaf.connect(server.address());
            deaf.getOutputStream().write("GET long\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(deaf.getInputStream().read()).isEqualTo('$');
            assertThat(setting.call("CONFIG", "SET", "timeout", "1")).isEqualTo("+OK⏎");
            while (server.metrics().text().contains("perhaps_server_clients 2")) {
                setting.call("PING");
            }
        }
    }

    /** Expired keys stayed until the server was started again: the task never ran again. */
    @Test
    void aTaskThatFailsOnceRunsAgain() throws Exception {
        AtomicLong clock = new AtomicLong(1_700_000_000_000L);
        AtomicBoolean fails = new AtomicBoolean();
        List<String> told = new CopyOnWriteArrayList<>();
        try (SketchServer server = plan().complaints(told::add)
                        .open(
                                () -> {
                                    if (Thread.currentThread().getName().startsWith("server-timer")
                                            && fails.getAndSet(false)) {
                                        throw new AssertionError("the clock stands still");
                                    }
                                    return clock.get();
                                },
                                7);
                Wire wire = new Wire(server.address())) {
            fails.set(true);
            while (fails.get()) {
                wire.call("PING");
            }
            wire.call("SET", "short", "v", "PX", "50");
            clock.addAndGet(100);
            while (!server.metrics().text().contains("perhaps_server_expired_total 1")) {
                wire.call("PING");
            }
            assertThat(told)
                    .singleElement()
                    .asString()
                    .contains("internal error in 'the removal of expired keys'")
                    .contains("the clock stands still");
        }
    }
}
