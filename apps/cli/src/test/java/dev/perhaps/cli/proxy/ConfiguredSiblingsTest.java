package dev.perhaps.cli.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.cluster.HostPort;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ConfiguredSiblingsTest {
    private static final Map<String, HostPort> B = Map.of("b", HostPort.of("b.example.org:80"));

    private final AtomicLong nanos = new AtomicLong(-7);
    private String address = "10.0.0.1";

    private InetSocketAddress lookUp(String name, HostPort at) {
        if (address.isEmpty()) {
            throw new IllegalArgumentException("unknown host");
        }
        return new InetSocketAddress(address, at.port());
    }

    private void pass(long seconds) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    /** Symptom: a sibling that was restarted at another address was looked for at the old one until the proxy was restarted, too. */
    @Test
    void aSiblingThatMovesIsFoundAgain() {
        ConfiguredSiblings siblings = new ConfiguredSiblings(B, this::lookUp, nanos::get);
        assertThat(siblings.siblings()).containsEntry("b", new InetSocketAddress("10.0.0.1", 80));
        address = "10.0.0.2";
        pass(29);
        assertThat(siblings.siblings()).containsEntry("b", new InetSocketAddress("10.0.0.1", 80));
        pass(1);
        assertThat(siblings.siblings()).containsEntry("b", new InetSocketAddress("10.0.0.2", 80));
        address = "";
        pass(30);
        assertThat(siblings.siblings())
                .as("one that cannot be looked up is where it was")
                .containsEntry("b", new InetSocketAddress("10.0.0.2", 80));
    }

    @Test
    void oneThatCannotBeLookedUpAtFirstIsNamed() {
        address = "";
        assertThatThrownBy(() -> new ConfiguredSiblings(B, this::lookUp, nanos::get))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("--sibling b=b.example.org:80: unknown host");
    }
}
