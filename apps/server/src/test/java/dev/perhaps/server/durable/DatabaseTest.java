package dev.perhaps.server.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.server.keyspace.KeyBytes;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.keyspace.Value;
import dev.perhaps.server.keyspace.ValueType;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What commands do to clocks, locks, watches and snapshots, with a clock and a disk that are set. */
@Timeout(120)
class DatabaseTest {
    private final RecordingDisk disk = new RecordingDisk();

    /** A value with an error of this program in it. */
    private static final class BrokenValue implements Value {
        @Override
        public ValueType type() {
            return ValueType.STRING;
        }

        @Override
        public long sizeBytes() {
            return 100;
        }

        @Override
        public Value copy() {
            throw new IllegalStateException("a broken copy");
        }

        @Override
        public String encoding() {
            throw new IllegalStateException("a broken encoding");
        }

        @Override
        public void writeTo(OutputStream out) {}

        @Override
        public long fileBytes() {
            return 0;
        }
    }

    private static KeyBytes key(TestServer server, String name) {
        return server.keyspace.key(name.getBytes(StandardCharsets.US_ASCII));
    }

    /** It gave no reply at all, and no later command of that client got one. */
    @Test
    void anErrorOfThisProgramIsOneReplyAndATraceForTheOperator() throws Exception {
        List<String> told = new ArrayList<>();
        try (TestServer server = new TestServer(disk).start()) {
            server.database.complaints(told::add);
            server.keyspace.put(key(server, "broken"), new BrokenValue());
            String error = "-ERR internal error in '%s': see the log of the server\r\n";
            assertThat(server.run("OBJECT ENCODING broken")).isEqualTo(error.formatted("object"));
            assertThat(told)
                    .singleElement()
                    .asString()
                    .contains("'object'")
                    .contains("DatabaseTest$BrokenValue.encoding");
            // Locks are free, memory is not claimed, and a transaction goes on.
            long used = server.keyspace.usedBytes();
            assertThat(server.run("COPY broken other")).isEqualTo(error.formatted("copy"));
            assertThat(server.keyspace.usedBytes()).isEqualTo(used);
            assertThat(server.run("DEL other")).isEqualTo(":0\r\n");
            assertThat(server.run("MULTI")).isEqualTo("+OK\r\n");
            server.run("SET a 1");
            server.run("COPY broken other");
            server.run("SET b 2");
            assertThat(server.run("EXEC")).isEqualTo("*3\r\n+OK\r\n" + error.formatted("copy") + "+OK\r\n");
            assertThat(server.run("MGET a b")).isEqualTo("*2\r\n$1\r\n1\r\n$1\r\n2\r\n");
            assertThat(server.run("DEL broken")).isEqualTo(":1\r\n");
        }
    }

    /** It ended the snapshot that was being written. */
    @Test
    void aWrongFlushAllDoesNotEndASnapshot() throws Exception {
        try (TestServer server = new TestServer(disk).start()) {
            server.run("SET a 1");
            disk.closeGate();
            CompletableFuture<Void> saved = server.directory.save();
            disk.awaitGate();
            assertThat(server.begin("FLUSHALL NEVER")).isEqualTo("-ERR syntax error\r\n");
            int[] more = new int[1];
            disk.onCreate(name -> more[0] += name.startsWith(LogFiles.LOG) ? 1 : 0);
            disk.openGate();
            saved.get(60, TimeUnit.SECONDS);
            assertThat(more[0]).as("files of another attempt").isZero();
        }
    }

    /** Runs a line in a thread that waits for the lock of a key, changes the clock, and lets it go on. */
    private static String runAfterWaiting(TestServer server, String key, long millis, String line) throws Exception {
        String[] reply = new String[1];
        Thread thread = new Thread(() -> reply[0] = server.begin(line));
        try (Keyspace.Locks locks = server.keyspace.lock(Keyspace.stripesOf(key(server, key)), true)) {
            thread.start();
            while (thread.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            server.nowMillis += millis;
        }
        thread.join(60_000);
        return reply[0];
    }

    /** A command that had waited saw a key that had expired meanwhile, and the log had them in the other order. */
    @Test
    void theClockIsReadAfterTheLock() throws Exception {
        try (TestServer server = new TestServer(disk).start()) {
            server.run("SET one 7 PX 1000");
            assertThat(runAfterWaiting(server, "one", 2_000, "INCR one")).isEqualTo(":1\r\n");
            server.run("SET several 7 PX 1000");
            assertThat(runAfterWaiting(server, "several", 2_000, "DEL several none"))
                    .isEqualTo(":0\r\n");
            server.run("SET queued 7 PX 1000");
            server.run("MULTI");
            server.run("INCR queued");
            assertThat(runAfterWaiting(server, "queued", 2_000, "EXEC")).isEqualTo("*1\r\n:1\r\n");
        }
    }

    /** The next EXEC of that client did nothing because of keys that it no longer watched. */
    @Test
    void aRefusedExecForgetsWhatWasWatched() throws Exception {
        try (TestServer server = new TestServer(disk).start()) {
            server.run("SET a 1");
            server.run("WATCH a");
            disk.failsToSync(true);
            assertThat(server.run("SET b 1")).isEqualTo("not written");
            server.begin("MULTI");
            server.begin("SET b 2");
            assertThat(server.begin("EXEC")).startsWith("-MISCONF");
            disk.failsToSync(false);
            server.directory.save().get(60, TimeUnit.SECONDS);
            assertThat(server.run("SET a 2")).isEqualTo("+OK\r\n");
            server.run("MULTI");
            server.run("SET b 3");
            assertThat(server.run("EXEC")).isEqualTo("*1\r\n+OK\r\n");
        }
    }

    /** Two thousand went per tick, however many had expired. */
    @Test
    void manyKeysThatExpireAtOnceGoAtOnce() throws Exception {
        try (TestServer server = new TestServer(disk, "no").start()) {
            for (int i = 0; i < 9_000; i++) {
                server.begin("SET key-" + i + " v PX 1000");
            }
            server.begin("SET stays v");
            server.nowMillis += 2_000;
            assertThat(server.database.expire()).isEqualTo(9_000);
            assertThat(server.keyspace.size()).isEqualTo(1);
        }
    }

    // Watched keys that expire

    /** EXEC ran as if a lock that had expired were still held: nobody had removed the key yet. */
    @Test
    void aWatchedKeyThatHasExpiredIsOneThatHasChanged() throws Exception {
        try (TestServer server = new TestServer(disk).start()) {
            server.run("SET lock mine PX 1000");
            server.run("WATCH lock");
            server.nowMillis += 2_000;
            server.run("MULTI");
            server.run("INCR done");
            assertThat(server.run("EXEC")).isEqualTo("*-1\r\n");
            assertThat(server.run("GET done")).isEqualTo("$-1\r\n");
        }
    }

    @Test
    void aKeyThatHadExpiredWhenItWasWatchedHasNotChanged() throws Exception {
        try (TestServer server = new TestServer(disk).start()) {
            server.run("SET lock theirs PX 1000");
            server.nowMillis += 2_000;
            server.run("WATCH lock");
            server.database.expire();
            server.run("MULTI");
            server.run("SET lock mine");
            assertThat(server.run("EXEC")).isEqualTo("*1\r\n+OK\r\n");
        }
        try (TestServer server = new TestServer(disk)) {
            assertThat(server.begin("GET lock")).isEqualTo("$4\r\nmine\r\n");
        }
    }

    /** It was 0 whatever there was. */
    @Test
    void infoCountsKeysThatAreToExpire() throws Exception {
        try (TestServer server = new TestServer(disk).start()) {
            server.run("MSET a 1 b 2 c 3");
            server.run("EXPIRE a 100");
            server.run("EXPIRE b 1");
            server.database.expire();
            assertThat(server.run("INFO keyspace")).contains("db0:keys=3,expires=2,");
            server.nowMillis += 2_000;
            server.database.expire();
            assertThat(server.run("INFO keyspace")).contains("db0:keys=2,expires=1,");
        }
    }
}
