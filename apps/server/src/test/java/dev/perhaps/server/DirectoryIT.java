package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with sockets and files: a full disk, a backup, an end that nobody waits for. */
@Timeout(120)
class DirectoryIT {
    @TempDir
    private Path folder;

    private static SketchServer open(Path directory, String fsync) throws IOException {
        return SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directory(directory)
                .fsync(fsync)
                .open();
    }

    /** Repeats a command until its reply is this one. */
    private static void await(Wire wire, String reply, String... words) throws Exception {
        String got = wire.call(words);
        for (int i = 0; i < 3_000 && !got.startsWith(reply); i++) {
            Thread.sleep(20);
            got = wire.call(words);
        }
        assertThat(got).startsWith(reply);
    }

    private static void awaitSaved(Wire wire) throws Exception {
        String info = wire.call("INFO", "persistence");
        for (int i = 0; i < 3_000 && info.contains("rdb_bgsave_in_progress:1"); i++) {
            Thread.sleep(10);
            info = wire.call("INFO", "persistence");
        }
        assertThat(info).contains("rdb_bgsave_in_progress:0").contains("rdb_last_bgsave_status:ok");
    }

    /** A disk of its own, of 4 MB: only root can make one. */
    @Test
    void aFullDiskRefusesChangesUntilThereIsSpace() throws Exception {
        Path disk = Files.createDirectories(folder.resolve("disk"));
        Assumptions.assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk.toString()) == 0, "not root");
        try {
            Files.write(disk.resolve("filler"), new byte[2 << 20]);
            String value = "x".repeat(50_000);
            List<String> acknowledged = new ArrayList<>();
            try (SketchServer server = open(disk.resolve("data"), "always");
                    Wire wire = Wire.open(server, 2)) {
                String reply = "";
                for (int i = 0; i < 100 && !reply.startsWith("-"); i++) {
                    reply = wire.call("SET", "key-" + i, value);
                    if (reply.equals("+OK⏎")) {
                        acknowledged.add("key-" + i);
                    }
                }
                assertThat(reply).startsWith("-MISCONF Errors writing to the AOF file: ");
                assertThat(acknowledged).hasSizeGreaterThan(20);
                assertThat(wire.call("INCR", "n")).startsWith("-MISCONF ");
                assertThat(wire.call("STRLEN", "n")).startsWith("-ERR unknown command");
                for (String key : acknowledged) {
                    assertThat(wire.call("EXISTS", key)).isEqualTo(":1⏎");
                }
                assertThat(wire.call("INFO", "persistence")).contains("aof_last_write_status:err");
                assertThat(wire.call("SAVE")).startsWith("-ERR ");
                // Send it no changes; but it runs, and to start it again would not help.
                assertThat(server.isReady()).isFalse();
                assertThat(server.isOpen()).isTrue();
                assertThat(server.metrics().text())
                        .contains("perhaps_server_writable 0\n")
                        .contains("perhaps_server_snapshot_ok 0\n");
                Files.delete(disk.resolve("filler"));
                await(wire, ":1⏎", "INCR", "n");
                assertThat(server.isReady()).isTrue();
                acknowledged.add("n");
            }
            try (SketchServer server = open(disk.resolve("data"), "always");
                    Wire wire = Wire.open(server, 2)) {
                for (String key : acknowledged) {
                    assertThat(wire.call("EXISTS", key)).as(key).isEqualTo(":1⏎");
                }
            }
        } finally {
            assertThat(run("umount", disk.toString())).isZero();
        }
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    @Test
    void aCopyAfterASnapshotIsABackup() throws Exception {
        Path backup = folder.resolve("backup");
        try (SketchServer server = open(folder.resolve("data"), "everysec");
                Wire wire = Wire.open(server, 2)) {
            wire.call("BF.RESERVE", "seen", "0.01", "1000");
            for (int i = 0; i < 100; i++) {
                wire.call("BF.ADD", "seen", "before-" + i);
            }
            assertThat(wire.call("BGSAVE")).isEqualTo("+Background saving started⏎");
            awaitSaved(wire);
            // Changes go on while the files are copied.
            CountDownLatch copied = new CountDownLatch(1);
            Thread load = new Thread(() -> {
                try (Wire other = Wire.open(server, 2)) {
                    while (copied.getCount() > 0) {
                        other.call("INCR", "later");
                    }
                } catch (IOException e) {
                    assert e.getMessage() != null;
                }
            });
            load.start();
            assertThat(run("cp", "-r", folder.resolve("data").toString(), backup.toString()))
                    .isZero();
            copied.countDown();
            load.join(60_000);
            wire.call("FLUSHALL");
        }
        try (SketchServer server = open(backup, "everysec");
                Wire wire = Wire.open(server, 2)) {
            for (int i = 0; i < 100; i++) {
                assertThat(wire.call("BF.EXISTS", "seen", "before-" + i)).isEqualTo(":1⏎");
            }
        }
        try (SketchServer server = open(folder.resolve("data"), "everysec");
                Wire wire = Wire.open(server, 2)) {
            assertThat(wire.call("DBSIZE")).isEqualTo(":0⏎");
        }
    }

    @Test
    void stopsForAClientThatHasGone() throws Exception {
        try (SketchServer server = open(folder, "everysec")) {
            try (Wire wire = Wire.open(server, 2)) {
                wire.call("INCR", "n");
                wire.send(Wire.request(Wire.bytes("SHUTDOWN")));
            }
            CountDownLatch stopped = new CountDownLatch(1);
            Thread waiting = new Thread(() -> {
                try {
                    server.awaitShutdown();
                    stopped.countDown();
                } catch (InterruptedException e) {
                    assert e.getMessage() == null;
                }
            });
            waiting.setDaemon(true);
            waiting.start();
            assertThat(stopped.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }
}
