package dev.perhaps.chord.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes frames, for every kind of connection. Until the handshake is done frames are short and carry no tag.
 * Each direction is confined to one thread at a time.
 */
final class FrameCodec {
    /*
     *     length:u32  type:u8  body  tag:16      length counts what follows; the tag only where there is a secret
     */
    private static final byte[] NO_TAG = {};

    private int maxBodyBytes = WireFrame.MAX_STRANGER_BYTES;
    private @Nullable FrameSeal sending;
    private @Nullable FrameSeal receiving;

    /** The handshake is done: frames may be long from now on, and are sealed if both sides have a secret. */
    void trust(Handshake handshake) {
        maxBodyBytes = WireFrame.MAX_BYTES;
        sending = handshake.sending();
        receiving = handshake.receiving();
    }

    /** What the first four bytes of a frame say: how many follow them. */
    int following(int lengthField) throws BadFrame {
        long bytes = Integer.toUnsignedLong(lengthField) - Byte.BYTES - (receiving == null ? 0 : FrameSeal.TAG_BYTES);
        if (bytes < 0 || bytes > maxBodyBytes) {
            throw new BadFrame("a frame has at most " + maxBodyBytes + " bytes, got " + bytes);
        }
        return lengthField;
    }

    /** The frame whose type, body and tag these bytes are. */
    WireFrame read(byte[] following) throws BadFrame {
        int type = Byte.toUnsignedInt(following[0]);
        int end = following.length - (receiving == null ? 0 : FrameSeal.TAG_BYTES);
        if (receiving != null) {
            byte[] tag = Arrays.copyOfRange(following, end, following.length);
            if (!receiving.isNext(tag, type, following, Byte.BYTES, end - Byte.BYTES)) {
                throw new BadFrame("a frame was changed in transit, or belongs to another connection");
            }
        }
        return new WireFrame(type, Arrays.copyOfRange(following, Byte.BYTES, end));
    }

    /** Returns length and type, which precede the body. */
    byte[] head(WireFrame frame) {
        int tagBytes = sending == null ? 0 : FrameSeal.TAG_BYTES;
        return ByteBuffer.allocate(WireFrame.HEADER_BYTES)
                .putInt(frame.body().length + Byte.BYTES + tagBytes)
                .put((byte) frame.type())
                .array();
    }

    /** Returns the tag that follows the body. Call it once per frame, in their order. */
    byte[] tag(WireFrame frame) {
        return sending == null ? NO_TAG : sending.next(frame.type(), frame.body(), 0, frame.body().length);
    }

    /**
     * Returns all frames in these bytes, which come from a trusted source; an incomplete one at the end is left out.
     */
    static List<WireFrame> frames(byte[] bytes) throws BadFrame {
        FrameCodec codec = new FrameCodec();
        codec.maxBodyBytes = WireFrame.MAX_BYTES;
        ByteBuffer in = ByteBuffer.wrap(bytes);
        List<WireFrame> frames = new ArrayList<>();
        while (in.remaining() >= Integer.BYTES) {
            int following = codec.following(in.getInt());
            if (following > in.remaining()) {
                break;
            }
            byte[] frame = new byte[following];
            in.get(frame);
            frames.add(codec.read(frame));
        }
        return frames;
    }
}
