package dev.perhaps.proxy.siblings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sentences that others have a part in. */
class NoticesTest {
    private final List<String> told = new ArrayList<>();
    private long now;
    private final Notices notices = new Notices(told::add, () -> now);

    @Test
    void nothingInThemActsOnATerminal() {
        notices.accept("sibling \u001b[2Ja\r\nb\u009b\u202eä");
        assertThat(told).containsExactly("sibling \\u001b[2Ja\\u000d\\u000ab\\u009b\\u202eä");
    }

    @Test
    void aFloodOfThemBecomesAFewAndANumber() {
        for (int i = 0; i < 1_000; i++) {
            notices.accept("trouble " + i);
        }
        assertThat(told).hasSize(Notices.MAX_PER_MINUTE);
        now = 60_000_000_000L;
        notices.accept("more");
        assertThat(told)
                .hasSize(Notices.MAX_PER_MINUTE + 2)
                .endsWith("970 lines like those before were left out", "more");
    }
}
