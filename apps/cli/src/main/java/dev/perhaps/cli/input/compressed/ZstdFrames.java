package dev.perhaps.cli.input.compressed;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.perhaps.io.Figures;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * Decompresses zstd, of one frame or of many in sequence, some of which may be skippable, and refuses what it cannot: a
 * damaged or cut frame and bytes behind the last one are an error that names the byte. Confined to a thread.
 */
public final class ZstdFrames extends InputStream {
    /*
     * com.github.luben.zstd.ZstdInputStream is not used because it takes a frame that is cut short for the end of the
     * input if an earlier frame ended in the same buffer.
     */
    private final InputStream in;
    private final ZstdDecompressCtx context = new ZstdDecompressCtx();
    private final byte[] chunk;
    private final ByteBuffer packed;
    private final ByteBuffer plain;
    private long packedBytes;
    private long frames;
    private boolean betweenFrames;
    private boolean starved;

    public ZstdFrames(InputStream in, int bufferBytes) {
        this.in = in;
        this.chunk = new byte[bufferBytes];
        this.packed = ByteBuffer.allocateDirect(bufferBytes).flip();
        this.plain = ByteBuffer.allocateDirect(bufferBytes).flip();
    }

    @Override
    public int read() throws IOException {
        return fill() ? plain.get() & 0xFF : -1;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int count = Math.min(length, plain.remaining());
        plain.get(into, from, count);
        return count;
    }

    /** Returns true if there is a decompressed byte; false at the end of the last frame. */
    private boolean fill() throws IOException {
        while (!plain.hasRemaining()) {
            // Without new input, only a frame that is under way may have more to give.
            if (!packed.hasRemaining() && (betweenFrames || starved) && !more()) {
                if (!betweenFrames) {
                    throw damaged("it is cut short");
                }
                return false;
            }
            decompress();
        }
        return true;
    }

    private void decompress() throws IOException {
        plain.clear();
        try {
            betweenFrames = context.decompressDirectByteBufferStream(plain, packed);
        } catch (ZstdException e) {
            throw damaged(e.getMessage() == null ? "it cannot be decompressed" : e.getMessage());
        }
        plain.flip();
        starved = !plain.hasRemaining();
        if (betweenFrames) {
            frames++;
        }
    }

    private boolean more() throws IOException {
        int count = in.read(chunk);
        packed.clear().put(chunk, 0, Math.max(0, count)).flip();
        packedBytes += packed.limit();
        return packed.hasRemaining();
    }

    private DamagedArchive damaged(String what) {
        return new DamagedArchive(what, "zstd frame " + Figures.count(frames + 1), packedBytes - packed.remaining());
    }

    @Override
    public int available() {
        return plain.remaining();
    }

    @Override
    public void close() throws IOException {
        context.close();
        in.close();
    }
}
