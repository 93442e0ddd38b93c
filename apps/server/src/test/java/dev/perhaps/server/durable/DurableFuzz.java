package dev.perhaps.server.durable;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.perhaps.sketch.FormatException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes in the files of a data directory are read, or refused by one exception. */
class DurableFuzz {
    private static final String SNAPSHOT = LogFiles.name(LogFiles.SNAPSHOT, 1);

    /** The files of a server that has run some commands and written a snapshot. */
    private static Map<String, byte[]> files() throws Exception {
        RecordingDisk disk = new RecordingDisk();
        try (TestServer server = new TestServer(disk).start()) {
            for (String line : List.of(
                    "BF.ADD seen a",
                    "CMS.INITBYDIM c 4 2",
                    "SET text abc PX 900000",
                    "PFADD d x",
                    "CMS.INITBYDIM w 4 2 WINDOW 1h",
                    "CMS.INCRBY w a 5",
                    "TOPK.RESERVE t 1 WINDOW 1h",
                    "TOPK.ADD t a",
                    "SIM.RESERVE s COMPONENTS 8",
                    "SIM.ADD s id SET a b",
                    "GUARD.RESERVE g LOOKUP 1",
                    "GUARD.REPORT g HIT 3",
                    "PWNED.ADD p 5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8 7")) {
                server.run(line);
            }
            server.directory.save().get(60, TimeUnit.SECONDS);
            server.run("INCR n");
            server.run("BF.MADD seen b c d");
        }
        return disk.content();
    }

    private static byte[] newest(String kind) throws Exception {
        return files().entrySet().stream()
                .filter(file -> file.getKey().startsWith(kind))
                .reduce((a, b) -> b)
                .orElseThrow()
                .getValue();
    }

    /** The bodies of all records of a file. */
    private static List<byte[]> bodies(byte[] file, byte[] magic) throws IOException {
        List<byte[]> bodies = new ArrayList<>();
        try (RecordReader reader = RecordReader.open(new RecordingDisk(Map.of("file", file)), "file", magic)) {
            for (byte[] body = reader.next(); body != null; body = reader.next()) {
                bodies.add(body);
            }
        }
        return bodies;
    }

    static Stream<Arguments> logs() throws Exception {
        return Stream.of(Arguments.of((Object) newest(LogFiles.LOG)), Arguments.of((Object) new byte[0]));
    }

    @MethodSource("logs")
    @FuzzTest(maxDuration = "1m")
    void log(byte[] bytes) throws IOException {
        if (bytes == null) {
            return;
        }
        List<Records.Logged> records = new ArrayList<>();
        try {
            // What the file says of itself: the reader is to get beyond it.
            long id;
            long number;
            long before = 0;
            try (RecordReader reader =
                    RecordReader.open(new RecordingDisk(Map.of("file", bytes)), "file", LogFiles.MAGIC)) {
                ByteBuf header = Unpooled.wrappedBuffer(reader.existing());
                Records.number(header);
                id = header.readableBytes() < Long.BYTES ? 0 : header.readLongLE();
                number = Records.number(header);
                byte[] first = reader.next();
                before = first == null ? 0 : Records.read(first).number() - 1;
            }
            RecordingDisk disk = new RecordingDisk(Map.of(LogFiles.name(LogFiles.LOG, number), bytes));
            long last = LogFiles.read(disk, number, id, before, records::add);
            assertThat(last).isEqualTo(before + records.size());
        } catch (FormatException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }

    static Stream<Arguments> records() throws Exception {
        return bodies(newest(LogFiles.LOG), LogFiles.MAGIC).stream().skip(1).map(body -> Arguments.of((Object) body));
    }

    /** What has the right sum, and was yet not written by a server. */
    @MethodSource("records")
    @FuzzTest(maxDuration = "1m")
    void record(byte[] body) throws IOException {
        if (body == null) {
            return;
        }
        try {
            Records.Logged record = Records.read(body);
            ByteBuf out = Unpooled.buffer();
            Records.write(out, record);
            byte[] again = new byte[out.readableBytes() - Records.HEAD_BYTES];
            out.getBytes(Records.HEAD_BYTES, again);
            assertThat(Records.read(again).number()).isEqualTo(record.number());
        } catch (FormatException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }

    static Stream<Arguments> snapshots() throws Exception {
        byte[] snapshot = newest(LogFiles.SNAPSHOT);
        ByteBuf parts = Unpooled.buffer();
        for (byte[] body : bodies(snapshot, Snapshots.MAGIC)) {
            parts.writeShortLE(body.length).writeBytes(body);
        }
        byte[] both = new byte[parts.readableBytes()];
        parts.readBytes(both);
        return Stream.of(
                Arguments.of((Object) both), Arguments.of((Object) snapshot), Arguments.of((Object) new byte[0]));
    }

    /** The bytes as they are, and cut into records (each after its length of two bytes) with the right sums. */
    @MethodSource("snapshots")
    @FuzzTest(maxDuration = "1m")
    void snapshot(byte[] bytes) throws IOException {
        if (bytes == null) {
            return;
        }
        readSnapshot(bytes);
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        ByteBuf file = Unpooled.buffer().writeBytes(Snapshots.MAGIC);
        while (in.readableBytes() >= 2) {
            int start = Records.begin(file);
            file.writeBytes(in, Math.min(in.readUnsignedShortLE(), in.readableBytes()));
            Records.end(file, start);
        }
        byte[] summed = new byte[file.readableBytes()];
        file.readBytes(summed);
        readSnapshot(summed);
    }

    private static void readSnapshot(byte[] bytes) throws IOException {
        try {
            long id = identity(bytes);
            Snapshots.read(
                    new RecordingDisk(Map.of(SNAPSHOT, bytes)),
                    SNAPSHOT,
                    id,
                    (name, type, expires, content, length) -> {
                        assertThat(type.read(content, 1 << 20).type()).isEqualTo(type);
                    });
        } catch (FormatException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }

    /** The id in the header, if there is one: the reader is to get beyond it. */
    private static long identity(byte[] bytes) throws IOException {
        try (RecordReader reader =
                RecordReader.open(new RecordingDisk(Map.of(SNAPSHOT, bytes)), SNAPSHOT, Snapshots.MAGIC)) {
            ByteBuf header = Unpooled.wrappedBuffer(reader.existing());
            Records.number(header);
            Records.number(header);
            return header.readableBytes() < Long.BYTES ? 0 : header.readLongLE();
        }
    }
}
