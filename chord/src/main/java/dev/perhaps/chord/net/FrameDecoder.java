package dev.perhaps.chord.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/** Bytes into frames, of limited length: a stranger gets a short limit. */
final class FrameDecoder extends ByteToMessageDecoder {
    private int mostBytes = Frame.MOST_STRANGER_BYTES;

    /** The handshake is done. */
    void trust() {
        mostBytes = Frame.MOST_BYTES;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws BadFrame {
        if (in.readableBytes() < Integer.BYTES) {
            return;
        }
        long length = in.getUnsignedInt(in.readerIndex()) - Byte.BYTES;
        if (length < 0 || length > mostBytes) {
            throw new BadFrame("a frame has at most " + mostBytes + " bytes, got " + length);
        }
        if (in.readableBytes() < Frame.HEADER_BYTES + length) {
            return;
        }
        in.skipBytes(Integer.BYTES);
        int type = in.readUnsignedByte();
        byte[] body = new byte[(int) length];
        in.readBytes(body);
        out.add(new Frame(type, body));
    }
}
