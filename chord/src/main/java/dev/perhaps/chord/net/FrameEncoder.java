package dev.perhaps.chord.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.MessageToByteEncoder;

/** Frames into bytes of a channel. */
final class FrameEncoder extends MessageToByteEncoder<Frame> {
    private final FrameCodec codec;

    FrameEncoder(FrameCodec codec) {
        super(Frame.class);
        this.codec = codec;
    }

    @Override
    protected ByteBuf allocateBuffer(ChannelHandlerContext context, Frame frame, boolean direct) {
        return context.alloc().ioBuffer(Frame.HEADER_BYTES + frame.body().length + FrameSeal.TAG_BYTES);
    }

    @Override
    protected void encode(ChannelHandlerContext context, Frame frame, ByteBuf out) {
        out.writeBytes(codec.head(frame)).writeBytes(frame.body()).writeBytes(codec.tag(frame));
    }
}
