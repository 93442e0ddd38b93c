package dev.perhaps.cli.input.capture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.BadRecords;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Captures of every link type and byte order, and text. */
class FlowInputTest {
    private static final ByteOrder[] ORDERS = {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN};
    private static final String ETHERNET = "00 ".repeat(12) + "0800";

    private final List<String> flows = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final FlowInput input = new FlowInput(
            (bytes, from, to, wireBytes) -> flows.add(new String(bytes, from, to - from, UTF_8) + " " + wireBytes),
            BadRecords.refused(""),
            warnings::add);

    private void read(byte[] bytes) throws IOException {
        flows.clear();
        input.read("it", "it", new ByteArrayInputStream(bytes));
    }

    private static byte[] ethernet(String source, String destination) {
        return CaptureBytes.packet(ETHERNET, source, destination);
    }

    @Test
    void readsPcapOfBothByteOrdersAndUnits() throws IOException {
        for (ByteOrder order : ORDERS) {
            for (int magic : new int[] {CaptureBytes.MICROS, CaptureBytes.NANOS}) {
                read(CaptureBytes.pcap(order, magic, 1)
                        .record(ethernet("10.0.0.1", "192.168.100.255"), 1514)
                        .record(ethernet("192.168.100.255", "10.0.0.1"), 60)
                        .bytes());
                assertThat(flows).containsExactly("10.0.0.1 192.168.100.255 1514", "192.168.100.255 10.0.0.1 60");
            }
        }
        assertThat(input.packets()).isEqualTo(8);
        assertThat(input.others()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 000000000000 000000000000 0800", // Ethernet
        "1, 000000000000 000000000000 8100 0005 0800", // with a VLAN tag
        "1, 000000000000 000000000000 88a8 0005 8100 0006 0800", // with two
        "101, ''", // raw IP
        "12, ''",
        "228, ''",
        "113, 0000 0001 0006 0000000000000000 0800", // Linux cooked
        "113, 0000 0001 0006 0000000000000000 8100 0001 0800",
        "276, 0800 0000 00000001 0001 00 06 0000000000000000", // Linux cooked, version 2
        "0, 02000000", // null, of a little-endian machine
        "0, 00000002",
        "108, 00000002", // loopback
    })
    void findsIpv4BehindEveryLinkHeader(int linkType, String before) throws IOException {
        read(CaptureBytes.pcap(ByteOrder.LITTLE_ENDIAN, CaptureBytes.MICROS, linkType)
                .record(CaptureBytes.packet(before, "10.1.2.3", "10.4.5.6"), 99)
                .bytes());
        assertThat(flows).containsExactly("10.1.2.3 10.4.5.6 99");
    }

    @ParameterizedTest
    @CsvSource({
        "1, 000000000000 000000000000 86dd",
        "1, 000000000000 000000000000 8100 0005 86dd",
        "101, ''",
        "229, ''",
        "113, 0000 0001 0006 0000000000000000 86dd",
        "276, 86dd 0000 00000001 0001 00 06 0000000000000000",
        "0, 0a000000",
        "0, 18000000",
        "0, 0000001c",
        "108, 0000001e",
    })
    void findsIpv6BehindEveryLinkHeader(int linkType, String before) throws IOException {
        read(CaptureBytes.pcap(ByteOrder.BIG_ENDIAN, CaptureBytes.NANOS, linkType)
                .record(CaptureBytes.packet(before, "2001:db8::1", "fe80::1:0:0:2"), 99)
                .bytes());
        assertThat(flows).containsExactly("2001:db8::1 fe80::1:0:0:2 99");
    }

    @ParameterizedTest
    @CsvSource({
        "::, ::",
        "::1, ::1",
        "1::, 1::",
        "0:0:1:0:0:0:0:1, 0:0:1::1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "ff02:0:0:0:0:0:0:fb, ff02::fb",
        "abcd:ef01:2345:6789:abcd:ef01:2345:6789, abcd:ef01:2345:6789:abcd:ef01:2345:6789"
    })
    void writesAddressesInTheOneFormOfRfc5952(String address, String expected) throws IOException {
        byte[] text = new byte[AddressText.MAX_BYTES];
        byte[] bytes = java.net.InetAddress.getByName(address).getAddress();
        int end = AddressText.write(bytes, 0, bytes.length, text, 0);
        assertThat(new String(text, 0, end, UTF_8)).isEqualTo(expected);
    }

    @Test
    void readsPcapngWithSeveralSectionsInterfacesAndKindsOfBlock() throws IOException {
        for (ByteOrder order : ORDERS) {
            read(CaptureBytes.pcapng(order)
                    .anInterface(1, 0)
                    .anInterface(101, 65_535)
                    .block(5, ByteBuffer.allocate(12)) // statistics
                    .enhanced(0, ethernet("10.0.0.1", "10.0.0.2"), 1000)
                    .enhanced(1, CaptureBytes.packet("", "::1", "::2"), 2000)
                    .old(1, CaptureBytes.packet("", "10.0.0.5", "10.0.0.6"), 70)
                    .simple(ethernet("10.0.0.3", "10.0.0.4"), 34)
                    .turnedSection()
                    .anInterface(113, 64)
                    .block(0x40000BAD, ByteBuffer.allocate(8))
                    .simple(CaptureBytes.packet("00".repeat(14) + "0800", "10.0.0.7", "10.0.0.8"), 5000)
                    .bytes());
            assertThat(flows)
                    .containsExactly(
                            "10.0.0.1 10.0.0.2 1000",
                            "::1 ::2 2000",
                            "10.0.0.5 10.0.0.6 70",
                            "10.0.0.3 10.0.0.4 34",
                            "10.0.0.7 10.0.0.8 5000");
        }
    }

    @Test
    void countsPacketsThatAreNoIpAndThoseCapturedTooShort() throws IOException {
        byte[] whole = ethernet("10.0.0.1", "10.0.0.2");
        CaptureBytes capture = CaptureBytes.pcap(ByteOrder.LITTLE_ENDIAN, CaptureBytes.MICROS, 1);
        for (int length = 0; length < whole.length; length++) {
            capture.record(Arrays.copyOf(whole, length), 1000);
        }
        capture.record(CaptureBytes.packet("00".repeat(12) + "0806", "10.0.0.1", "10.0.0.2"), 1000);
        read(capture.bytes());
        assertThat(flows).isEmpty();
        assertThat(input.packets()).isEqualTo(whole.length + 1);
        assertThat(input.others()).isEqualTo(whole.length + 1);
    }

    @Test
    void usesACaptureUpToWhereItIsCutShort() throws IOException {
        byte[] pcap = CaptureBytes.pcap(ByteOrder.LITTLE_ENDIAN, CaptureBytes.MICROS, 1)
                .record(ethernet("10.0.0.1", "10.0.0.2"), 1000)
                .record(ethernet("10.0.0.3", "10.0.0.4"), 2000)
                .bytes();
        byte[] pcapng = CaptureBytes.pcapng(ByteOrder.BIG_ENDIAN)
                .anInterface(1, 0)
                .enhanced(0, ethernet("10.0.0.1", "10.0.0.2"), 1000)
                .enhanced(0, ethernet("10.0.0.3", "10.0.0.4"), 2000)
                .bytes();
        for (byte[] whole : List.of(pcap, pcapng)) {
            int whole1 = 0;
            int refused = 0;
            warnings.clear();
            for (int length = 4; length < whole.length; length++) {
                try {
                    read(Arrays.copyOf(whole, length));
                    whole1 += flows.size() == 1 ? 1 : 0;
                } catch (BadInput e) {
                    assertThat(e).hasMessage("it: the capture is cut short after packet 0");
                    assertThat(flows).isEmpty();
                    refused++;
                }
            }
            assertThat(whole1)
                    .as("lengths at which the first packet is whole and used")
                    .isPositive();
            assertThat(warnings)
                    .contains("it: the capture is cut short after packet 1: the packets before are used")
                    .allMatch(text -> text.startsWith("it: the capture is cut short after packet "));
            // Behind a header, and between two blocks or packets, a capture may end.
            assertThat(refused + warnings.size()).isEqualTo(whole.length - 4 - (whole == pcap ? 2 : 3));
        }
    }

    @Test
    void refusesWhatItCannotUnderstand() {
        byte[] wifi = CaptureBytes.pcap(ByteOrder.LITTLE_ENDIAN, CaptureBytes.MICROS, 105)
                .bytes();
        refused(wifi, "it: its link type 105 (802.11) is not known: Ethernet, raw IP, Linux cooked and loopback are");
        byte[] packet = ethernet("10.0.0.1", "10.0.0.2");
        refused(
                CaptureBytes.pcapng(ByteOrder.LITTLE_ENDIAN)
                        .anInterface(9999, 0)
                        .enhanced(0, packet, 60)
                        .bytes(),
                "its link type 9999 is not known");
        refused(
                CaptureBytes.pcapng(ByteOrder.LITTLE_ENDIAN)
                        .anInterface(1, 0)
                        .enhanced(1, packet, 60)
                        .bytes(),
                "packet 1 came by interface 1, which the section does not describe");
        refused(
                CaptureBytes.pcapng(ByteOrder.LITTLE_ENDIAN).simple(packet, 60).bytes(),
                "packet 1 came by interface 0");
        byte[] mismatch =
                CaptureBytes.pcapng(ByteOrder.BIG_ENDIAN).anInterface(1, 0).bytes();
        mismatch[mismatch.length - 1] ^= 4;
        refused(mismatch, "a block says 24 bytes at its start and 28 at its end");
        byte[] huge = CaptureBytes.pcap(ByteOrder.BIG_ENDIAN, CaptureBytes.MICROS, 1)
                .record(packet, 60)
                .bytes();
        huge[24 + 8] = 0x7F;
        refused(huge, "packet 1 claims 2,130,706,466 bytes");
        byte[] odd = CaptureBytes.pcapng(ByteOrder.BIG_ENDIAN)
                .block(7, ByteBuffer.allocate(5))
                .bytes();
        refused(odd, "a block cannot be 17 bytes long");
    }

    private void refused(byte[] bytes, String message) {
        assertThatThrownBy(() -> read(bytes)).isInstanceOf(BadInput.class).hasMessageContaining(message);
    }

    @Test
    void readsTextWithThreeWordsPerLine() throws IOException {
        read("# src dst bytes\n10.0.0.1 10.0.0.2 1500\n\n  a.example\tb.example   7\r\n".getBytes(UTF_8));
        assertThat(flows).containsExactly("10.0.0.1 10.0.0.2 1500", "a.example b.example 7");
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.1 10.0.0.2", "a b c", "a b 1 2", "a b -1", "a b 9223372036854775808", "a b 1.5"})
    void refusesOtherText(String line) {
        refused(
                ("a b 1\n" + line + "\n").getBytes(UTF_8),
                "it line 2: it is neither a capture nor 'src dst bytes', as in '10.0.0.1 10.0.0.2 1500'");
    }
}
