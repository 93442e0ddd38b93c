import dev.perhaps.proxy.http.Framing;
import dev.perhaps.proxy.http.HeadReader;
import dev.perhaps.proxy.http.Target;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/** How long the proxy's reader of requests takes beside Netty's: nanoseconds per request, the median of rounds in turn. */
final class HttpReaders {
    private static final int ROUNDS = 15;
    private static final int REQUESTS = 300_000;
    private static final String BROWSER = "GET /articles/2026/11/a-page?from=home HTTP/1.1\r\nHost: www.example.org\r\n"
            + "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n"
            + "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nAccept-Language: en-US,en;q=0.5\r\n"
            + "Accept-Encoding: gzip, deflate, br, zstd\r\nConnection: keep-alive\r\nUpgrade-Insecure-Requests: 1\r\n"
            + "Sec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Site: none\r\n\r\n";
    private static final String TOOL = "GET /p/17 HTTP/1.1\r\nHost: localhost:8080\r\n\r\n";
    private static long seen;

    private HttpReaders() {}

    public static void main(String[] args) {
        for (String request : new String[] {TOOL, BROWSER}) {
            byte[] bytes = request.getBytes(StandardCharsets.ISO_8859_1);
            double[] ours = new double[ROUNDS];
            double[] netty = new double[ROUNDS];
            for (int round = -3; round < ROUNDS; round++) { // three to warm up
                double a = nanos(new Ours(), bytes);
                double b = nanos(
                        new HttpRequestDecoder(new HttpDecoderConfig()
                                .setMaxInitialLineLength(8 << 10)
                                .setMaxHeaderSize(32 << 10)),
                        bytes);
                if (round >= 0) {
                    ours[round] = a;
                    netty[round] = b;
                }
            }
            Arrays.sort(ours);
            Arrays.sort(netty);
            System.out.printf(
                    Locale.ROOT,
                    "%4d bytes: ours %.0f ns (%.0f to %.0f), Netty's %.0f ns (%.0f to %.0f) per request%n",
                    bytes.length,
                    ours[ROUNDS / 2],
                    ours[ROUNDS / 4],
                    ours[ROUNDS * 3 / 4],
                    netty[ROUNDS / 2],
                    netty[ROUNDS / 4],
                    netty[ROUNDS * 3 / 4]);
        }
        if (seen == 0) {
            throw new IllegalStateException("nothing was read");
        }
    }

    private static double nanos(ChannelHandler reader, byte[] bytes) {
        EmbeddedChannel channel = new EmbeddedChannel(reader);
        long start = System.nanoTime();
        for (int i = 0; i < REQUESTS; i++) {
            channel.writeInbound(Unpooled.wrappedBuffer(bytes));
            for (Object part = channel.readInbound(); part != null; part = channel.readInbound()) {
                seen += part instanceof HttpRequest request
                        ? request.headers().get("Host").length()
                        : part instanceof Target target ? target.host().length() : 0;
                ReferenceCountUtil.release(part);
            }
        }
        double nanos = (System.nanoTime() - start) / (double) REQUESTS;
        channel.finishAndReleaseAll();
        return nanos;
    }

    /** What a connection of the proxy does with a head. */
    private static final class Ours extends ChannelInboundHandlerAdapter {
        private final HeadReader reader = new HeadReader(100);

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
            ByteBuf buffer = (ByteBuf) message;
            byte[] head = new byte[buffer.readableBytes()];
            buffer.readBytes(head);
            buffer.release();
            var request = reader.request(head, head.length);
            if (!Framing.of(request).isEmpty()) {
                throw new IllegalStateException("a body");
            }
            ctx.fireChannelRead(Target.of(request));
        }
    }
}
