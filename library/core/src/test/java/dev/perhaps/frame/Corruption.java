package dev.perhaps.frame;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;

/** Bytes as an accident leaves them, or a forger. */
public final class Corruption {
    private static final int NAME_AT = 48;

    private Corruption() {}

    /** A bit flipped, bytes cut off, bytes put after, or a stretch overwritten, anywhere. */
    public static byte[] anywhere(byte[] good, Random random) {
        return from(good, random.nextInt(good.length), random);
    }

    /** The same, from this byte on. */
    public static byte[] from(byte[] good, int at, Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> flipped(good, at, random);
            case 1 -> Arrays.copyOf(good, at);
            case 2 -> Arrays.copyOf(good, good.length + 1 + random.nextInt(64));
            default -> overwritten(good, at, random);
        };
    }

    /** A frame with other parameters or another payload, and checksums that fit: only its reader can find it out. */
    public static byte[] forged(byte[] frame, Random random) {
        ByteBuffer before = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
        int header = before.getInt(16);
        int parameters = NAME_AT + (before.getShort(22) + 7) / 8 * 8;
        int count = before.getInt(40);
        boolean inHeader = count > 0 && random.nextBoolean();
        int at = inHeader ? parameters + random.nextInt(8 * count) : header + random.nextInt(frame.length - header - 4);
        byte[] forged = random.nextBoolean() ? flipped(frame, at, random) : overwritten(frame, at, random);
        return withChecksums(forged);
    }

    /** Puts in the checksums that fit the rest. */
    public static byte[] withChecksums(byte[] frame) {
        ByteBuffer bytes = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
        int header = bytes.getInt(16);
        bytes.putInt(header - 4, crc(frame, 0, header - 4));
        bytes.putInt(frame.length - 4, crc(frame, header, frame.length - 4));
        return frame;
    }

    /** Frames that differ from this one in a parameter, which is a number or a double at some limit; checksums fit. */
    public static List<byte[]> extremeParameters(byte[] frame) {
        ByteBuffer before = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
        int parameters = NAME_AT + (before.getShort(22) + 7) / 8 * 8;
        List<byte[]> all = new ArrayList<>();
        for (int i = 0; i < before.getInt(40); i++) {
            for (long extreme : extremes()) {
                byte[] forged = frame.clone();
                ByteBuffer.wrap(forged).order(ByteOrder.LITTLE_ENDIAN).putLong(parameters + 8 * i, extreme);
                all.add(withChecksums(forged));
            }
        }
        return all;
    }

    private static long[] extremes() {
        LongStream numbers = LongStream.concat(
                LongStream.of(-1, Long.MIN_VALUE, Long.MAX_VALUE),
                IntStream.range(0, 63).mapToLong(i -> 1L << i).flatMap(power -> LongStream.of(power - 1, power)));
        double[] doubles = {
            -1,
            -0.0,
            Double.MIN_VALUE,
            1e-300,
            1e-30,
            1e-9,
            0.001,
            0.5,
            0.999,
            Math.nextDown(1.0),
            1,
            1e9,
            1e300,
            Double.POSITIVE_INFINITY,
            Double.NaN
        };
        return LongStream.concat(numbers, Arrays.stream(doubles).mapToLong(Double::doubleToRawLongBits))
                .toArray();
    }

    /** Puts checksums that fit into bytes that may be anything, as far as there is room for them. */
    public static byte[] sealed(byte[] bytes) {
        byte[] sealed = bytes.clone();
        if (sealed.length >= NAME_AT + 4) {
            int header = ByteBuffer.wrap(sealed).order(ByteOrder.LITTLE_ENDIAN).getInt(16);
            if (header >= NAME_AT + 4 && header <= sealed.length - 4) {
                return withChecksums(sealed);
            }
        }
        return sealed;
    }

    private static byte[] flipped(byte[] good, int at, Random random) {
        byte[] bad = good.clone();
        bad[at] ^= (byte) (1 << random.nextInt(8));
        return bad;
    }

    private static byte[] overwritten(byte[] good, int at, Random random) {
        byte[] noise = new byte[Math.min(1 + random.nextInt(32), good.length - at)];
        random.nextBytes(noise);
        noise[0] = (byte) ~good[at];
        byte[] bad = good.clone();
        System.arraycopy(noise, 0, bad, at, noise.length);
        return bad;
    }

    private static int crc(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        return (int) crc.getValue();
    }
}
