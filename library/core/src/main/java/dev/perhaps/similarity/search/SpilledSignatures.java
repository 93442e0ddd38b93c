package dev.perhaps.similarity.search;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Signatures in a file that is already deleted from its folder: the space is freed however the program ends. */
public final class SpilledSignatures implements ShortSignatures.Store {
    /*
     * Document d has its row at d · 4k; rows of documents whose content another one has signed are holes. Rows are
     * written, not mapped, so that a full disk is an error of the write and not of some later access; once all are
     * there, the file is mapped read-only in segments of whole rows. A band is then one pass over the file, which the
     * system reads ahead and may drop from memory again as it likes.
     */
    private static final int MAX_SEGMENT_BYTES = 1 << 30;

    private final Path folder;
    private final FileChannel channel;
    private final int components;

    private SpilledSignatures(Path folder, FileChannel channel, int components) {
        this.folder = folder;
        this.channel = channel;
        this.components = components;
    }

    public static SpilledSignatures in(Path folder, int components) throws IOException {
        Path file = Files.createTempFile(folder, "perhaps-", ".signatures");
        // Systems that cannot take the name from an open file delete it when it is closed.
        FileChannel channel = FileChannel.open(
                file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
        return new SpilledSignatures(folder, channel, components);
    }

    private long rowBytes() {
        return (long) components * Integer.BYTES;
    }

    @Override
    public void put(int document, int[] sketch) throws IOException {
        ByteBuffer row = ByteBuffer.allocate((int) rowBytes()).order(ByteOrder.nativeOrder());
        row.asIntBuffer().put(sketch);
        long at = document * rowBytes();
        try {
            while (row.hasRemaining()) {
                at += channel.write(row, at);
            }
        } catch (IOException e) {
            throw new IOException("signatures could not be written in " + folder + ": " + e.getMessage(), e);
        }
    }

    @Override
    public ShortSignatures of(int[] documents) throws IOException {
        long bytes = channel.size();
        int segmentRows = (int) (MAX_SEGMENT_BYTES / rowBytes());
        long segmentBytes = segmentRows * rowBytes();
        IntBuffer[] segments = new IntBuffer[(int) ((bytes + segmentBytes - 1) / segmentBytes)];
        for (int i = 0; i < segments.length; i++) {
            long from = i * segmentBytes;
            segments[i] = channel.map(FileChannel.MapMode.READ_ONLY, from, Math.min(segmentBytes, bytes - from))
                    .order(ByteOrder.nativeOrder())
                    .asIntBuffer();
        }
        // What is mapped stays, and the space on disk is free again once nothing refers to it.
        channel.close();
        return new ShortSignatures() {
            @Override
            public int count() {
                return documents.length;
            }

            @Override
            public int[] get(int content) {
                int document = documents[content];
                int[] sketch = new int[components];
                segments[document / segmentRows].get(document % segmentRows * components, sketch);
                return sketch;
            }
        };
    }

    /** Lets go of the file, if it was not mapped. */
    public void close() throws IOException {
        channel.close();
    }
}
