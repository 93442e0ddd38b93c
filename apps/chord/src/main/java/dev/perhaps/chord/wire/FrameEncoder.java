package dev.perhaps.chord.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.MessageToByteEncoder;

/** Encodes frames to the bytes of a channel. */
final class FrameEncoder extends MessageToByteEncoder<WireFrame> {
    private final FrameCodec codec;

    FrameEncoder(FrameCodec codec) {
        super(WireFrame.class);
        this.codec = codec;
    }

    @Override
    protected ByteBuf allocateBuffer(ChannelHandlerContext context, WireFrame frame, boolean direct) {
        return context.alloc().ioBuffer(WireFrame.HEADER_BYTES + frame.body().length + FrameSeal.TAG_BYTES);
    }

    @Override
    protected void encode(ChannelHandlerContext context, WireFrame frame, ByteBuf out) {
        out.writeBytes(codec.head(frame)).writeBytes(frame.body()).writeBytes(codec.tag(frame));
    }
}
