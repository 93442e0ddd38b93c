package dev.perhaps.server.keyspace;

import dev.perhaps.placement.HashRing;
import dev.perhaps.sketch.FormatException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A ring of nodes that own keys; empty at first. */
public final class RingValue implements Value {
    /** The most points of all nodes. */
    public static final int MAX_POINTS = 1 << 20;

    /** The most bytes of the name of a node. */
    public static final int MAX_NAME_BYTES = 255;

    /** What a point takes, with its share of the table that finds it. */
    private static final int POINT_BYTES = 44;

    private static final int NODE_BYTES = 400;
    private static final int OBJECT_BYTES = 128;

    private final int pointsEach;
    private @Nullable HashRing<String> ring;

    /** A ring without nodes, and with this number of points per unit of weight. */
    public RingValue(int pointsEach) {
        this.pointsEach = pointsEach;
    }

    /** Returns the number of points per unit of weight. */
    public int pointsEach() {
        return pointsEach;
    }

    /** Returns the ring, or null if it has no nodes. */
    public @Nullable HashRing<String> ring() {
        return ring;
    }

    /** Replaces the nodes. */
    public void ring(@Nullable HashRing<String> next) {
        ring = next;
    }

    /** Returns the nodes with their weights. */
    public Map<String, Integer> weights() {
        return ring == null ? Map.of() : ring.weights();
    }

    /** Returns the number of points that these nodes have together. */
    public long points(Map<String, Integer> weights) {
        return weights.values().stream().mapToLong(Integer::longValue).sum() * pointsEach;
    }

    /** Returns the memory that a ring of these nodes takes, in bytes. */
    public long sizeBytes(Map<String, Integer> weights) {
        return OBJECT_BYTES + POINT_BYTES * points(weights) + (long) NODE_BYTES * weights.size();
    }

    /** Returns a ring of these nodes, or null if there are none. */
    public @Nullable HashRing<String> ringOf(Map<String, Integer> weights) {
        return weights.isEmpty() ? null : HashRing.points(pointsEach).of(new TreeMap<>(weights));
    }

    @Override
    public ValueType type() {
        return ValueType.RING;
    }

    @Override
    public long sizeBytes() {
        return sizeBytes(weights());
    }

    @Override
    public Value copy() {
        RingValue copy = new RingValue(pointsEach);
        copy.ring = ring;
        return copy;
    }

    @Override
    public String encoding() {
        return "raw";
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        DataOutputStream data = new DataOutputStream(out);
        data.writeInt(pointsEach);
        data.writeInt(weights().size());
        for (Map.Entry<String, Integer> node : new TreeMap<>(weights()).entrySet()) {
            byte[] name = node.getKey().getBytes(StandardCharsets.UTF_8);
            data.writeByte(name.length);
            data.write(name);
            data.writeInt(node.getValue());
        }
        data.flush();
    }

    @Override
    public long fileBytes() {
        long bytes = 2 * Integer.BYTES;
        for (String name : weights().keySet()) {
            bytes += 1 + name.getBytes(StandardCharsets.UTF_8).length + Integer.BYTES;
        }
        return bytes;
    }

    static RingValue readFrom(InputStream in, long maxBytes) throws IOException {
        DataInputStream data = new DataInputStream(in);
        try {
            int each = data.readInt();
            int nodes = data.readInt();
            if (each < 1 || each > MAX_POINTS || nodes < 0 || nodes > MAX_POINTS / each) {
                throw new FormatException("a ring of " + nodes + " nodes with " + each + " points");
            }
            RingValue value = new RingValue(each);
            Map<String, Integer> weights = new TreeMap<>();
            long points = 0;
            for (int i = 0; i < nodes; i++) {
                byte[] name = data.readNBytes(data.readUnsignedByte());
                int weight = data.readInt();
                points += (long) weight * each;
                if (name.length == 0 || weight < 1 || points > MAX_POINTS) {
                    throw new FormatException("a node of a ring with weight " + weight);
                }
                String text = new String(name, StandardCharsets.UTF_8);
                if (!Arrays.equals(text.getBytes(StandardCharsets.UTF_8), name)) {
                    // It would be longer when it is written again, and could not be read.
                    throw new FormatException("the name of a node is not UTF-8");
                }
                weights.put(text, weight);
            }
            if (weights.size() != nodes || value.sizeBytes(weights) > maxBytes) {
                throw new FormatException("a ring of " + nodes + " nodes does not fit");
            }
            value.ring = value.ringOf(weights);
            return value;
        } catch (EOFException e) {
            throw new FormatException("the bytes end before all nodes");
        }
    }
}
