package dev.perhaps.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NettyLogTest {
    private final List<String> lines = new ArrayList<>();
    private final NettyLog log = new NettyLog(lines::add);

    @Test
    void writesAWarningAsOneLineWithoutItsStackTrace() {
        log.publish(record(Level.WARNING, "the peer said \u001b[2J", new IOException("reset\nby peer")));
        assertThat(lines)
                .singleElement()
                .asString()
                .startsWith("netty: the peer said ")
                .contains("reset");
        assertThat(lines.get(0)).doesNotContain("\u001b", "\n", "\tat ");
    }

    @Test
    void dropsWhatIsLessThanAWarning() {
        log.publish(record(Level.INFO, "too many control frames", new IOException("closing")));
        assertThat(lines).isEmpty();
    }

    @Test
    void writesFewLinesHoweverManyAreCaused() {
        for (int i = 0; i < 10_000; i++) {
            log.publish(record(Level.WARNING, "again", null));
        }
        assertThat(lines).hasSizeLessThanOrEqualTo(StrangerLog.MAX_LINES);
    }

    private static LogRecord record(Level level, String message, @Nullable Throwable thrown) {
        LogRecord entry = new LogRecord(level, message);
        entry.setThrown(thrown);
        return entry;
    }
}
