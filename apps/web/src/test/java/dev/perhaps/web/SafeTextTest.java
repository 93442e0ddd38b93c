package dev.perhaps.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Text from others without what a terminal obeys. */
class SafeTextTest {
    @Test
    void plainTextStaysAsItIs() {
        assertThat(SafeText.of("plain, \u00e4\u20ac \ud83d\ude00")).isEqualTo("plain, \u00e4\u20ac \ud83d\ude00");
    }

    @Test
    void whatATerminalObeysIsEscaped() {
        assertThat(SafeText.of("\u001b[2J\r\n\t\u0000\u007f\u009b\u202e\u2028\ud83d"))
                .isEqualTo("\\u001b[2J\\u000d\\u000a\\u0009\\u0000\\u007f\\u009b\\u202e\\u2028\\ud83d");
    }
}
