package dev.perhaps.web.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostCheckTest {
    private final HostCheck check = new HostCheck("Cache.example.org");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "10.1.2.3:80",
                "LOCALHOST:99",
                "localhost",
                "[::1]",
                "[::1]:8080",
                "cache.example.org",
                "CACHE.EXAMPLE.ORG:1"
            })
    void acceptsNumbersLocalhostAndItsName(String host) {
        assertThat(check.accepts(host)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":80",
                "[",
                "[]",
                "]",
                "[evil.example]",
                "evil.example",
                "evil.example:80",
                "localhost.evil.example",
                "127.0.0.1.evil.example",
                "cache.example.org.evil.example",
                "1.2.3",
                "1.2.3.4.5",
                "999.0.0.1",
                "127.0.0.1@evil.example"
            })
    void refusesEverythingElse(String host) {
        assertThat(check.accepts(host)).isFalse();
        assertThat(new HostCheck("").accepts(host)).isFalse();
    }
}
