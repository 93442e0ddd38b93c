package dev.perhaps.cli.frequency;

import static dev.perhaps.cli.input.capture.CaptureBytes.packet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.Refusals;
import dev.perhaps.cli.Shell;
import dev.perhaps.cli.input.capture.CaptureBytes;
import java.io.ByteArrayOutputStream;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code perhaps flows}, as a user runs it. */
class FlowsCommandIT {
    private static final String ETHERNET = "00".repeat(12) + "0800";

    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws Exception {
        shell = new Shell(folder);
        shell.write("flows.txt", "# src dst bytes", "10.0.0.1 10.0.0.2 1500", "a b 7", "10.0.0.1 10.0.0.2 1500");
        Files.write(folder.resolve("it.pcap"), pcap());
        Files.write(
                folder.resolve("it.pcapng"),
                CaptureBytes.pcapng(ByteOrder.BIG_ENDIAN)
                        .anInterface(101, 0)
                        .enhanced(0, packet("", "2001:db8::1", "2001:db8::2"), 9000)
                        .bytes());
    }

    private static byte[] pcap() {
        return CaptureBytes.pcap(ByteOrder.LITTLE_ENDIAN, CaptureBytes.NANOS, 1)
                .record(packet(ETHERNET, "10.0.0.1", "10.0.0.2"), 1000)
                .record(packet(ETHERNET, "10.0.0.2", "10.0.0.1"), 60)
                .record(packet("00".repeat(12) + "0806", "10.0.0.2", "10.0.0.1"), 60)
                .record(packet(ETHERNET, "10.0.0.1", "10.0.0.2"), 500)
                .bytes();
    }

    private static List<String> words(String command) {
        return Arrays.asList(command.split(" "));
    }

    @Test
    void ranksFlowsOfCapturesAndText() throws Exception {
        List<Shell.Result> results = shell.all(List.of(
                words("flows it.pcap it.pcapng flows.txt"),
                words("flows it.pcap --packets --top 1"),
                words("flows it.pcapng --json")));
        assertThat(results.get(0).out()).isEqualTo("""
                1  9000  2001:db8::1 2001:db8::2
                2  4500  10.0.0.1 10.0.0.2
                3    60  10.0.0.2 10.0.0.1
                4     7  a b
                """);
        assertThat(results.get(0).err())
                .isEqualTo("of 13,567 bytes in 8 packets (1 were not IP, or too short to tell)\n");
        assertThat(results.get(1).out()).isEqualTo("1  2  10.0.0.1 10.0.0.2\n");
        assertThat(results.get(2).out())
                .isEqualTo("{\"rank\":1,\"source\":\"2001:db8::1\",\"destination\":\"2001:db8::2\","
                        + "\"atLeast\":9000,\"atMost\":9000}\n");
    }

    @Test
    void flagsFlowsAboveAThreshold() throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(pcap());
        }
        Files.write(folder.resolve("packed.gz"), packed.toByteArray());
        List<Shell.Result> results = shell.all(List.of(
                words("flows --threshold 1499 packed.gz"),
                words("flows --threshold 1500 packed.gz"),
                words("flows --threshold 1K it.pcap it.pcapng --json"),
                words("flows --threshold 1 --packets it.pcap it.pcapng flows.txt")));
        assertThat(results.get(0).out()).isEqualTo("1500  10.0.0.1 10.0.0.2\n");
        assertThat(results.get(0).err())
                .startsWith("1 flow above 1,499 bytes, of 1,560 in 4 packets (1 were not IP, or too short to tell); a"
                        + " flow below the threshold is among them with a probability of less than ");
        assertThat(results.get(1).out()).isEmpty();
        assertThat(results.get(1).code()).isZero();
        assertThat(results.get(2).out()).isEqualTo("""
                {"source":"2001:db8::1","destination":"2001:db8::2","atMost":9000}
                {"source":"10.0.0.1","destination":"10.0.0.2","atMost":1500}
                """);
        assertThat(results.get(3).out()).isEqualTo("4  10.0.0.1 10.0.0.2\n");
        assertThat(shell.sh("cat it.pcap | perhaps flows --threshold 1K 2>/dev/null")
                        .out())
                .isEqualTo("1500  10.0.0.1 10.0.0.2\n");
    }

    @Test
    void tellsWhenThereAreMoreFlowsThanPlanned() throws Exception {
        String[] lines = new String[3000];
        Arrays.setAll(lines, i -> "h" + i + " h" + (i + 1) + " 1000");
        shell.write("many.txt", lines);
        Shell.Result result = shell.perhaps("flows", "--threshold", "1500", "--flows", "10", "many.txt");
        assertThat(result.code()).isZero();
        assertThat(result.err())
                .contains("perhaps: warning: there are more flows than planned: give their number with --flows");
    }

    @Test
    void refusesBadInputAndPrintsNothing() throws Exception {
        byte[] pcap = pcap();
        Files.write(folder.resolve("short.pcap"), Arrays.copyOf(pcap, pcap.length - 3));
        Files.write(
                folder.resolve("wifi.pcap"),
                CaptureBytes.pcap(ByteOrder.LITTLE_ENDIAN, CaptureBytes.MICROS, 105)
                        .bytes());
        Files.write(
                folder.resolve("usb.pcapng"),
                CaptureBytes.pcapng(ByteOrder.LITTLE_ENDIAN)
                        .anInterface(220, 0)
                        .enhanced(0, new byte[40], 40)
                        .bytes());
        byte[] damaged =
                CaptureBytes.pcapng(ByteOrder.BIG_ENDIAN).anInterface(1, 0).bytes();
        damaged[damaged.length - 1] ^= 4;
        Files.write(folder.resolve("damaged.pcapng"), damaged);
        shell.write("huge.txt", "a b 9223372036854775807", "a b 1");
        shell.write("words.txt", "a b 5", "a b many");
        new Refusals(shell)
                .of("flows it.pcap wifi.pcap", "wifi.pcap: its link type 105 (802.11) is not known: Ethernet, raw IP,")
                .of("flows usb.pcapng", "usb.pcapng: its link type 220 (USB) is not known")
                .of("flows damaged.pcapng", "damaged.pcapng: the capture is damaged: a block says 24 bytes")
                .of("flows words.txt", "words.txt line 2: it is neither a capture nor 'src dst bytes'")
                .of("flows huge.txt", "huge.txt: the counts sum up to more than")
                .of("flows --threshold 5 huge.txt", "huge.txt: weight must leave the total below 2^63, got 1")
                .of("flows nothing.pcap", "nothing.pcap: there is no such file")
                .of("flows it.pcap --threshold lots", "--threshold must be a size such as 512M or 2G, got 'lots'")
                .of("flows it.pcap --threshold -1", "got '-1'")
                .of("flows it.pcap --top 0", "--top must be a whole number of at least 1")
                .of("flows it.pcap --threshold 5 --flows 0", "--flows must be a whole number of at least 1")
                .of("flows it.pcap --threshold 5 --flows 30000000", "there is not enough memory: ")
                .of("flows it.pcap --threshold 5 --top 3", "mutually exclusive")
                .hold();
    }
}
