package dev.perhaps.cli.input.capture;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.BadRecords;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.Lines;
import dev.perhaps.cli.input.Numbers;
import dev.perhaps.cli.input.Words;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;

/**
 * Reads how much each source sent to each destination: from packet captures (pcap, pcapng), and from text with {@code src dst bytes} on each
 * line; which of them an input is, its first bytes tell. A flow is the text {@code src dst}, so that captures and text
 * speak of the same flows.
 */
public final class FlowInput {
    private static final int BUFFER_BYTES = 1 << 16;

    private final Sink sink;
    private final BadRecords bad;
    private final Consumer<String> warn;
    private final byte[] flow = new byte[2 * AddressText.MAX_BYTES + 1];
    private long packets;
    private long others;

    /** Takes one packet, or one line of text; the array is reused. */
    @FunctionalInterface
    public interface Sink {
        void take(byte[] bytes, int from, int to, long wireBytes) throws IOException;
    }

    /** Creates an input; {@code warn} gets a warning about a truncated capture, and {@code bad} the invalid lines. */
    public FlowInput(Sink sink, BadRecords bad, Consumer<String> warn) {
        this.bad = bad;
        this.warn = warn;
        this.sink = sink;
    }

    /** Packets and lines read. */
    public long packets() {
        return packets;
    }

    /** Returns the number of packets that were skipped: not IP, or too short to tell. */
    public long others() {
        return others;
    }

    /** Reads all of one input; {@code name} is for messages, {@code path} what the command line calls it. */
    public void read(String path, String name, InputStream stream) throws IOException {
        BufferedInputStream in = new BufferedInputStream(stream, BUFFER_BYTES);
        in.mark(4);
        byte[] magic = in.readNBytes(4);
        in.reset();
        if (!Capture.startsWith(magic)) {
            Input.refuseOthers(path, name, in);
            text(name, in);
            return;
        }
        Capture capture = new Capture(name, in, this::packet);
        try {
            capture.read();
        } catch (Capture.CutShort cut) {
            if (capture.packets() == 0) {
                throw new BadInput(String.valueOf(cut.getMessage()));
            }
            // Stopping a capture may cut its last packet: all packets before it are whole.
            warn.accept(cut.getMessage() + ": the packets before are used");
        }
        packets += capture.packets();
        others += capture.others();
    }

    private void packet(Packet packet) throws IOException {
        int bytes = packet.addressBytes();
        int at = AddressText.write(packet.head(), packet.sourceAt(), bytes, flow, 0);
        flow[at++] = ' ';
        at = AddressText.write(packet.head(), packet.sourceAt() + bytes, bytes, flow, at);
        sink.take(flow, 0, at, packet.wireBytes());
    }

    private void text(String name, InputStream in) throws IOException {
        long[] line = {0};
        int[] words = new int[7]; // start and end of each word, and one more to see that there are too many
        byte[][] joined = {new byte[128]};
        Lines.read(name, in, (bytes, from, to) -> {
            line[0]++;
            int count = Words.split(bytes, from, to, words, 3);
            if (count == 0 || bytes[words[0]] == '#') {
                return;
            }
            long amount = count == 3 ? Numbers.parse(bytes, words[4], words[5]) : Numbers.NONE;
            if (amount < 0) {
                bad.take(name + " line " + line[0] + ": it is neither a capture nor 'src dst bytes', as in"
                        + " '10.0.0.1 10.0.0.2 1500'");
                return;
            }
            packets++;
            int source = words[1] - words[0];
            int length = source + 1 + words[3] - words[2];
            if (joined[0].length < length) {
                joined[0] = new byte[2 * length];
            }
            System.arraycopy(bytes, words[0], joined[0], 0, source);
            joined[0][source] = ' ';
            System.arraycopy(bytes, words[2], joined[0], source + 1, words[3] - words[2]);
            sink.take(joined[0], 0, length, amount);
        });
    }
}
