package dev.perhaps.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** How an origin is written. */
class OriginTest {
    @Test
    void isAUrlWithoutAPath() {
        assertThat(Origin.of("http://Example.org/")).isEqualTo(new Origin(false, "example.org", 80));
        assertThat(Origin.of("https://[::1]:8443").url()).isEqualTo("https://[::1]:8443");
        for (String wrong : List.of(
                "example.org", "ftp://a", "http://a/b", "http://u@a", "http://a?b", "http://", "http://a_b c")) {
            assertThatThrownBy(() -> Origin.of(wrong)).as(wrong).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** Symptom: the name of a container, such as web_app, was refused as an origin. */
    @Test
    void mayHaveAnUnderscoreInItsName() {
        assertThat(Origin.of("http://web_app:8000")).isEqualTo(new Origin(false, "web_app", 8000));
        assertThat(Origin.of("https://Web_App/").url()).isEqualTo("https://web_app");
        for (String wrong : List.of(
                "http://web_app:",
                "http://web_app:8000000",
                "http://u@web_app",
                "http://web_app:1:2",
                "http://a_b/c")) {
            assertThatThrownBy(() -> Origin.of(wrong)).as(wrong).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
