package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The measure of docs/decisions/http1-reader.md: which of the requests that our reader refuses pass through Netty's, with its strictest
 * settings. If this fails after a change of Netty's version, the page has to be looked at again.
 */
class NettyReaderTest {
    private record Outcome(boolean refused, boolean second) {}

    @Test
    void lessIsRefusedByNettysReader() {
        List<String> accepted = new ArrayList<>();
        List<String> split = new ArrayList<>();
        BadRequestsTest.bad().forEach(bad -> {
            boolean whole = bad.bytes().endsWith("\r\n\r\n");
            Outcome outcome = read(bad.bytes() + (whole ? "GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n" : ""));
            if (!outcome.refused && bad.status() != 408) {
                accepted.add(bad.name());
            }
            if (outcome.second) {
                split.add(bad.name());
            }
        });
        assertThat(accepted)
                .containsExactlyInAnyOrder(
                        "a method without end",
                        "the version of the future",
                        "two spaces",
                        "a byte 0 in the target",
                        "a byte above 127 in the target",
                        "a fragment",
                        "a target without a slash",
                        "a target of another scheme",
                        "no host",
                        "two hosts",
                        "a host with a path",
                        "a host with a user",
                        "the start of a head with a CR alone",
                        "an LF before everything",
                        "a folded line",
                        "a length above the limit",
                        "an endless chunk extension",
                        "an endless trailer",
                        "101 fields");
        assertThat(split).hasSize(14);
    }

    private static Outcome read(String bytes) {
        EmbeddedChannel channel = new EmbeddedChannel(new HttpRequestDecoder(new HttpDecoderConfig()
                .setMaxInitialLineLength(8 << 10)
                .setMaxHeaderSize(32 << 10)
                .setValidateHeaders(true)
                .setAllowDuplicateContentLengths(false)));
        boolean refused = false;
        boolean second = false;
        try {
            channel.writeInbound(Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1));
        } catch (RuntimeException e) {
            refused = true;
        }
        for (HttpObject part = channel.readInbound(); part != null; part = channel.readInbound()) {
            refused |= part.decoderResult().isFailure();
            second |= part instanceof HttpRequest request && request.uri().equals("/hidden");
            if (part instanceof HttpContent) {
                ReferenceCountUtil.release(part);
            }
        }
        channel.finishAndReleaseAll();
        return new Outcome(refused, second);
    }
}
