package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.proxy.CacheListener;
import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Origin;
import dev.perhaps.proxy.Timeouts;
import dev.perhaps.proxy.cache.Budget;
import dev.perhaps.proxy.cache.PageStore;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A writer that was told to stop is called when it may go on. */
class FlowTest {
    private static final int PIECE_BYTES = 1_000;
    private static final long MEMORY_BYTES = 1 << 20;

    private final Origin origin = Origin.of("http://127.0.0.1:1");
    private final OriginResolver originResolver = new OriginResolver(origin, Timeouts.usual());
    private final Limits limits = Limits.ofCache(8 << 20).memoryBytes(MEMORY_BYTES);
    private final Engine engine = new Engine(
            ProxyServer.before(origin).limits(limits),
            new PageStore(limits.cacheBytes(), new Budget(limits.cacheBytes()), CacheListener.NONE),
            originResolver);
    private final AtomicInteger resumed = new AtomicInteger();
    private final Flow flow = Flow.passing(engine, resumed::incrementAndGet);
    private final Flow.Reader reader = flow.read(() -> {});

    @AfterEach
    void stop() {
        originResolver.close();
    }

    private void readAll() {
        for (ByteBuf piece = reader.next(PIECE_BYTES); piece != null; piece = reader.next(PIECE_BYTES)) {
            piece.release();
        }
    }

    /** Two chunks of one read: the first finds no memory, the second does. */
    @Test
    void callsAWriterThatMemoryStoppedThoughItsNextPieceFoundMemory() {
        assertThat(engine.memory.take(MEMORY_BYTES)).isTrue();
        assertThat(flow.append(new byte[PIECE_BYTES])).isFalse();
        engine.memory.giveBack(MEMORY_BYTES);
        assertThat(flow.append(new byte[PIECE_BYTES])).isFalse();
        assertThat(resumed).hasValue(0);
        readAll();
        assertThat(resumed).hasValue(1);
        assertThat(flow.append(new byte[PIECE_BYTES])).isTrue();
        readAll();
        assertThat(resumed).hasValue(1);
        assertThat(engine.memory.takenBytes()).isZero();
    }

    @Test
    void callsAWriterThatTheWindowStoppedWhenHalfOfItIsReadOrTheReaderLeaves() {
        assertThat(flow.append(new byte[limits.windowBytes()])).isFalse();
        for (int left = limits.windowBytes(); left >= limits.windowBytes() / 2; left -= PIECE_BYTES) {
            assertThat(resumed).hasValue(0);
            assertThat(reader.next(PIECE_BYTES)).isNotNull();
        }
        assertThat(resumed).hasValue(1);
        assertThat(flow.append(new byte[limits.windowBytes()])).isFalse();
        reader.close();
        assertThat(resumed).hasValue(2);
        assertThat(engine.memory.takenBytes()).isZero();
    }
}
