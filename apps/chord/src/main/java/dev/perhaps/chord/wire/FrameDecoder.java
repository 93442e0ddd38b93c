package dev.perhaps.chord.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/** Decodes the bytes of a channel to frames. */
final class FrameDecoder extends ByteToMessageDecoder {
    private final FrameCodec codec;

    FrameDecoder(FrameCodec codec) {
        this.codec = codec;
    }

    /** One frame at a time: after the last one of the handshake the next is read in another way. */
    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws BadFrame {
        if (in.readableBytes() < Integer.BYTES) {
            return;
        }
        int following = codec.following(in.getInt(in.readerIndex()));
        if (in.readableBytes() < Integer.BYTES + following) {
            return;
        }
        byte[] bytes = new byte[following];
        in.skipBytes(Integer.BYTES).readBytes(bytes);
        out.add(codec.read(bytes));
    }
}
