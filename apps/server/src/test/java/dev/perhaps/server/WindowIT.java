package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counts and top lists that forget: what time does to them, and to their memory. */
class WindowIT {
    private static final long HOUR = 3_600_000;

    @TempDir
    Path directory;

    private final AtomicLong now = new AtomicLong(1_700_000_000_000L);

    private SketchServer open() throws IOException {
        return SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directory(directory.resolve("data"))
                .open(now::get, 1);
    }

    @Test
    void countsLeaveTheirWindowAlsoAfterARestart() throws IOException {
        String dump;
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            wire.call("CMS.INITBYDIM", "c", "1000", "5", "WINDOW", "1h");
            wire.call("TOPK.RESERVE", "t", "2", "WINDOW", "1h");
            wire.call("CMS.INCRBY", "c", "a", "5");
            wire.call("TOPK.INCRBY", "t", "a", "5", "z", "9");
            now.addAndGet(HOUR / 2);
            wire.call("CMS.INCRBY", "c", "a", "2");
            wire.call("TOPK.INCRBY", "t", "a", "2", "b", "1");
            dump = wire.call("DUMP", "c") + wire.call("DUMP", "t");
        }
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            assertThat(wire.call("DUMP", "c") + wire.call("DUMP", "t")).isEqualTo(dump);
            now.addAndGet(HOUR / 2);
            assertThat(wire.call("CMS.QUERY", "c", "a")).isEqualTo("*1⏎:7⏎");
            assertThat(wire.call("TOPK.LIST", "t", "WITHCOUNT")).isEqualTo("*4⏎$1⏎z⏎:9⏎$1⏎a⏎:7⏎");
            // One pane, a tenth of the window, after it.
            now.addAndGet(HOUR / 10);
            assertThat(wire.call("CMS.QUERY", "c", "a")).isEqualTo("*1⏎:2⏎");
            assertThat(wire.call("CMS.INFO", "c")).contains("+count⏎:2⏎");
            assertThat(wire.call("TOPK.LIST", "t", "WITHCOUNT")).isEqualTo("*4⏎$1⏎a⏎:2⏎$1⏎b⏎:1⏎");
            assertThat(wire.call("TOPK.COUNT", "t", "a", "z")).isEqualTo("*2⏎:2⏎:0⏎");
            assertThat(wire.call("TOPK.QUERY", "t", "a", "z")).isEqualTo("*2⏎:1⏎:0⏎");
            assertThat(wire.call("PERHAPS.STATS", "t")).contains("items⏎:3⏎");
            // Questions have not moved the window: what is kept is what the last change left.
            assertThat(wire.call("DUMP", "c") + wire.call("DUMP", "t")).isEqualTo(dump);
            assertThat(wire.call("CMS.INCRBY", "c", "a", "1")).isEqualTo("*1⏎:3⏎");
        }
    }

    @Test
    void aClockThatIsSetBackLosesNoCounts() throws IOException {
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            wire.call("CMS.INITBYDIM", "c", "1000", "5", "WINDOW", "1h");
            wire.call("TOPK.RESERVE", "t", "2", "WINDOW", "1h");
            wire.call("CMS.INCRBY", "c", "a", "1");
            wire.call("TOPK.ADD", "t", "a");
            now.addAndGet(-10 * HOUR);
            assertThat(wire.call("CMS.INCRBY", "c", "a", "1")).isEqualTo("*1⏎:2⏎");
            wire.call("TOPK.ADD", "t", "a");
            assertThat(wire.call("CMS.QUERY", "c", "a")).isEqualTo("*1⏎:2⏎");
            assertThat(wire.call("TOPK.COUNT", "t", "a")).isEqualTo("*1⏎:2⏎");
        }
    }

    @Test
    void longItemsCountAsMemoryAndAreRefusedBeforeTheyAreKept() throws IOException {
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            wire.call("TOPK.RESERVE", "t", "2", "WINDOW", "1h");
            long before = usage(wire);
            assertThat(wire.call("TOPK.ADD", "t", "x".repeat(100_000))).isEqualTo("*1⏎$-1⏎");
            assertThat(usage(wire) - before).isBetween(100_000L, 100_100L);
            wire.call("CONFIG", "SET", "max-key-memory", "" + (before + 150_000));
            assertThat(wire.call("TOPK.ADD", "t", "y".repeat(100_000))).startsWith("-OOM");
            assertThat(wire.call("TOPK.INCRBY", "t", "y".repeat(100_000), "2")).startsWith("-OOM");
            assertThat(wire.call("TOPK.ADD", "t", "y")).isEqualTo("*1⏎$-1⏎");
            // What has left the window is dropped by the next change.
            now.addAndGet(2 * HOUR);
            assertThat(wire.call("TOPK.ADD", "t", "y")).isEqualTo("*1⏎$-1⏎");
            assertThat(usage(wire) - before).isBetween(0L, 100L);
        }
    }

    private static long usage(Wire wire) throws IOException {
        String usage = wire.call("MEMORY", "USAGE", "t");
        return Long.parseLong(usage.substring(1, usage.length() - 1));
    }
}
