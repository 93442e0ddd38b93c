package dev.perhaps.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lines that others can cause. */
class StrangerLogTest {
    private final List<String> logged = new ArrayList<>();
    private long nanos;
    private final StrangerLog log = new StrangerLog(logged::add, () -> nanos);

    @Test
    void nothingInThemActsOnATerminal() {
        log.accept("sibling \u001b[2Ja\r\nb\u009b\u202eä");
        assertThat(logged).containsExactly("sibling \\u001b[2Ja\\u000d\\u000ab\\u009b\\u202eä");
    }

    @Test
    void longLinesAreCut() {
        log.accept("a".repeat(500));
        log.accept("a".repeat(501));
        assertThat(logged).containsExactly("a".repeat(500), "a".repeat(500) + "...");
    }

    @Test
    void onlyTheFirstLinesOfAFloodAreLogged() {
        for (int i = 0; i < 1_000; i++) {
            log.accept("garbage " + i);
        }
        assertThat(logged).hasSize(StrangerLog.MAX_LINES);
        log.flush();
        assertThat(logged).hasSize(StrangerLog.MAX_LINES);
        nanos = 10_000_000_000L;
        log.accept("new garbage");
        assertThat(logged)
                .hasSize(StrangerLog.MAX_LINES + 2)
                .endsWith("980 more lines like these left out", "new garbage");
    }

    @Test
    void theNumberLeftOutIsLoggedEvenIfNoLineFollows() {
        for (int i = 0; i <= StrangerLog.MAX_LINES; i++) {
            log.accept("garbage " + i);
        }
        nanos = 10_000_000_000L;
        log.flush();
        assertThat(logged).last().isEqualTo("1 more line like these left out");
    }
}
