package dev.perhaps.server.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.server.command.Change;
import dev.perhaps.sketch.FormatException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A log written under other limits than those of today: what was acknowledged is there again, or nothing starts. */
@Timeout(120)
class ReplayTest {
    private static final int MANY = 20_000;

    private final RecordingDisk disk = new RecordingDisk();

    /** Puts a command into the log that ran in another version. */
    private static void append(TestServer server, String line) throws Exception {
        String[] texts = line.split(" ", -1);
        byte[][] words = new byte[texts.length][];
        for (int i = 0; i < words.length; i++) {
            words[i] = texts[i].getBytes(StandardCharsets.ISO_8859_1);
        }
        server.directory.append(server.nowMillis, List.of(new Change(words, null)));
        server.directory.sync().get();
    }

    /** The command was dropped without a word, and the next snapshot would have made that final. */
    @Test
    void aCommandThatIsTooLongTodayIsReplayed() throws Exception {
        StringBuilder line = new StringBuilder("CF.INSERT f ITEMS");
        for (int i = 0; i < MANY; i++) {
            line.append(" item-").append(i);
        }
        try (TestServer server = new TestServer(disk).start()) {
            assertThat(server.run("CF.RESERVE f 100000 MAXITERATIONS 65535")).isEqualTo("+OK\r\n");
            assertThat(server.run(line.toString())).contains("steps, more than the");
            append(server, line.toString());
        }
        try (TestServer server = new TestServer(disk)) {
            assertThat(server.begin("CF.EXISTS f item-" + (MANY - 1))).isEqualTo(":1\r\n");
            assertThat(server.complaints).isEmpty();
        }
    }

    /** It was dropped without a word. */
    @Test
    void aCommandThatFailsNowIsNotDropped() throws Exception {
        try (TestServer server = new TestServer(disk).start()) {
            assertThat(server.run("SET text kept")).isEqualTo("+OK\r\n");
            append(server, "CF.ADD text item");
        }
        int events = disk.events().size();
        assertThatThrownBy(() -> new TestServer(disk))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("log-")
                .hasMessageContaining("'cf.add'")
                .hasMessageContaining("WRONGTYPE")
                .hasMessageContaining("start the version of the server that wrote it");
        assertThat(disk.events()).as("what was changed on the disk").hasSize(events);
    }

    /** Limits of settings change too. */
    @Test
    void aSettingBeyondTodaysLimitsIsReplayed() throws Exception {
        try (TestServer server = new TestServer(disk).start()) {
            append(server, "CONFIG SET cf-bucket-size 4 cf-max-expansions 70000 of-another-version 1");
            append(server, "CF.ADD made item");
        }
        try (TestServer server = new TestServer(disk)) {
            assertThat(server.begin("CF.INFO made")).contains("Bucket size\r\n:4\r\n");
        }
    }
}
