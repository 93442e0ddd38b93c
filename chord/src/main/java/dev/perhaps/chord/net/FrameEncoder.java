package dev.perhaps.chord.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.MessageToByteEncoder;

/** Frames into bytes. */
final class FrameEncoder extends MessageToByteEncoder<Frame> {
    FrameEncoder() {
        super(Frame.class);
    }

    @Override
    protected ByteBuf allocateBuffer(ChannelHandlerContext context, Frame frame, boolean direct) {
        return context.alloc().ioBuffer(Frame.HEADER_BYTES + frame.body().length);
    }

    @Override
    protected void encode(ChannelHandlerContext context, Frame frame, ByteBuf out) {
        out.writeInt(frame.body().length + Byte.BYTES);
        out.writeByte(frame.type());
        out.writeBytes(frame.body());
    }
}
