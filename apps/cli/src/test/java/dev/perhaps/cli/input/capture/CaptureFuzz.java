package dev.perhaps.cli.input.capture;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.perhaps.cli.input.BadInput;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a capture holds, its reader takes it, stops where it is cut short, or refuses it with one line. */
class CaptureFuzz {
    @MethodSource("captureSeeds")
    @FuzzTest(maxDuration = "1m")
    void readsCapturesOrRefuses(byte[] bytes) {
        long[] packets = {0};
        Capture capture = new Capture("stdin", new ByteArrayInputStream(bytes), packet -> packets[0]++);
        try {
            capture.read();
        } catch (BadInput | IOException e) {
            assertThat(e.getMessage()).isNotBlank();
        } catch (Capture.CutShort e) {
            assertThat(e).hasMessageStartingWith("stdin: the capture is cut short after packet ");
        }
        assertThat(packets[0] + capture.others()).isBetween(0L, capture.packets());
    }

    static Stream<byte[]> captureSeeds() throws IOException {
        byte[] packet = new byte[60];
        packet[12] = 8;
        packet[14] = 0x45;
        byte[] six = packet.clone();
        six[12] = (byte) 0x86;
        six[13] = (byte) 0xDD;
        six[14] = 0x60;
        List<byte[]> good = List.of(
                CaptureBytes.pcap(ByteOrder.LITTLE_ENDIAN, CaptureBytes.MICROS, 1)
                        .record(packet, 60)
                        .record(six, 1_500)
                        .bytes(),
                CaptureBytes.pcap(ByteOrder.BIG_ENDIAN, CaptureBytes.NANOS, 101)
                        .record(Arrays.copyOfRange(packet, 14, 60), 46)
                        .bytes());
        Random random = new Random(5);
        return good.stream()
                .flatMap(bytes -> Stream.concat(
                        Stream.of(bytes),
                        Stream.generate(() -> flipped(bytes, random)).limit(8)));
    }

    private static byte[] flipped(byte[] good, Random random) {
        byte[] bad = Arrays.copyOf(good, random.nextInt(4) == 0 ? random.nextInt(good.length) + 1 : good.length);
        bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
        return bad;
    }
}
