package dev.perhaps.chord.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.web.Role;
import io.netty.channel.ChannelConfig;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a stream reads, and when it waits until its frames are taken. */
class ChannelFrameStreamTest {
    private static final int MAX_WAITING = 16;

    /** Does something at the moment when reading stops, as another thread may. */
    private static final class Stopping extends EmbeddedChannel {
        private @Nullable ChannelConfig config;
        private Runnable meanwhile = () -> {};

        @Override
        public ChannelConfig config() {
            if (config == null) {
                config = new DefaultChannelConfig(this) {
                    @Override
                    public ChannelConfig setAutoRead(boolean reads) {
                        if (!reads) {
                            meanwhile.run();
                        }
                        return super.setAutoRead(reads);
                    }
                };
            }
            return config;
        }
    }

    private final Stopping channel = new Stopping();
    private final ChannelFrameStream stream = new ChannelFrameStream(
            channel,
            new Session(Set.of(Role.CLIENT), "", Session.Use.COMMANDS, "", 1_000),
            1_000,
            task -> {},
            each -> false);

    private void arrive(int frames) {
        for (int i = 0; i < frames; i++) {
            stream.arrived(new WireFrame(40, new byte[1]));
        }
    }

    private void take(int frames) {
        try {
            for (int i = 0; i < frames; i++) {
                stream.receive();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void readsNoMoreWhileNobodyTakesAndGoesOnWhenHalfIsTaken() {
        arrive(MAX_WAITING - 1);
        assertThat(channel.config().isAutoRead()).isTrue();
        arrive(1);
        assertThat(channel.config().isAutoRead()).isFalse();
        take(MAX_WAITING / 2);
        assertThat(channel.config().isAutoRead()).isFalse();
        take(1);
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    @Test
    void readsOnIfAllWasTakenWhileItStopped() {
        channel.meanwhile = () -> take(MAX_WAITING);
        arrive(MAX_WAITING);
        assertThat(channel.config().isAutoRead()).isTrue();
    }
}
