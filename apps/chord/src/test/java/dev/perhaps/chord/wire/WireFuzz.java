package dev.perhaps.chord.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.Message;
import dev.perhaps.chord.host.HostStatus;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever comes over a connection is frames and messages that are written again as the same bytes, or is refused. */
class WireFuzz {
    private static final Member A = Member.at("127.0.0.1:7001", 0);
    private static final Member B = Member.at("[::1]:7002", 3);
    private static final Id KEY = Id.hashOf("key");

    @MethodSource("streamSeeds")
    @FuzzTest(maxDuration = "1m")
    void cutsAStreamIntoFramesOrRefusesIt(byte[] bytes) {
        EmbeddedChannel channel = new EmbeddedChannel(new FrameDecoder(new FrameCodec()));
        try {
            // Byte by byte in the first half: a frame may come in any number of pieces.
            for (int i = 0; i < bytes.length / 2; i++) {
                channel.writeInbound(Unpooled.wrappedBuffer(bytes, i, 1));
            }
            channel.writeInbound(Unpooled.wrappedBuffer(bytes, bytes.length / 2, bytes.length - bytes.length / 2));
            channel.finish();
        } catch (DecoderException e) {
            assertThat(e.getCause()).isInstanceOf(BadFrame.class);
        }
        int read = 0;
        for (WireFrame frame = channel.readInbound(); frame != null; frame = channel.readInbound()) {
            read += WireFrame.HEADER_BYTES + frame.body().length;
            assertThat(frame.type()).isBetween(0, 255);
        }
        assertThat(read).isLessThanOrEqualTo(bytes.length);
        try {
            assertThat(FrameCodec.frames(bytes)).hasSizeLessThanOrEqualTo(bytes.length / WireFrame.HEADER_BYTES);
        } catch (BadFrame e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    static Stream<byte[]> streamSeeds() {
        return Stream.concat(
                messageSeeds().map(WireFuzz::framed),
                Stream.of(new byte[] {-1, -1, -1, -1, 1}, new byte[] {0, 0, 0, 0}, new byte[] {
                    0, 0, 0, 1, 10, 0, 0, 0, 1, 11
                }));
    }

    private static byte[] framed(byte[] body) {
        return ByteBuffer.allocate(WireFrame.HEADER_BYTES + body.length)
                .putInt(body.length + 1)
                .put((byte) WireFrame.MESSAGE)
                .put(body)
                .array();
    }

    @MethodSource("messageSeeds")
    @FuzzTest(maxDuration = "1m")
    void readsAMessageOrRefusesIt(byte[] body) {
        if (body.length > WireFrame.MAX_BYTES) {
            return;
        }
        try {
            Envelope envelope = Envelope.read(new WireFrame(WireFrame.MESSAGE, body));
            byte[] written = envelope.frame().body();
            assertThat(Envelope.read(new WireFrame(WireFrame.MESSAGE, written))).isEqualTo(envelope);
        } catch (BadFrame e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    static Stream<byte[]> messageSeeds() {
        Random random = new Random(2);
        List<Message> messages = List.of(
                new Message.Ask(),
                new Message.Neighbours(A, List.of(B, A), B),
                new Message.NotMember(),
                new Message.Notify(),
                new Message.Leaving(B),
                new Message.Find(KEY, List.of(A, B), true),
                new Message.Referral(B, true),
                new Message.Ownership(A, false));
        return messages.stream()
                .map(message -> new Envelope(KEY, A, 7, message).frame().body())
                .flatMap(good -> Stream.of(good, flipped(good, random), flipped(good, random)));
    }

    @MethodSource("statusSeeds")
    @FuzzTest(maxDuration = "1m")
    void readsAStatusOrRefusesIt(byte[] body) {
        if (body.length > WireFrame.MAX_BYTES) {
            return;
        }
        try {
            assertThat(HostStatus.read(new WireFrame(0, body)).toString()).isNotBlank();
        } catch (BadFrame e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    static Stream<byte[]> statusSeeds() {
        return Stream.of(new byte[0], new byte[64], messageSeeds().findFirst().orElseThrow());
    }

    static byte[] flipped(byte[] good, Random random) {
        byte[] bad = good.clone();
        bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
        return bad;
    }
}
