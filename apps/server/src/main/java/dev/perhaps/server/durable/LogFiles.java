package dev.perhaps.server.durable;

import dev.perhaps.sketch.FormatException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The files of the log: their names, how they begin, and how they are read after a crash. */
final class LogFiles {
    /*
     *     log-N        records, from where snapshot-N ends, or from the first one on
     *     snapshot-N   all keys as they were before the first record of log-N
     *
     * The state is the newest snapshot and all log files from its number on. The records in them have consecutive numbers.
     *
     * A file may end with records that were not synced when the machine stopped: missing, cut, or zeros in front of later ones,
     * as pages reach the disk in any order. The first record that is not whole ends the file. But if a whole one after it says
     * that it was made when that record had been synced already, then the disk has lost what it had promised: the log is damaged.
     */
    static final String LOG = "log-";
    static final String SNAPSHOT = "snapshot-";

    static final byte[] MAGIC = "\u0089Pcmds\r\n".getBytes(StandardCharsets.ISO_8859_1);
    private static final int VERSION = 1;
    private static final int WINDOW_BYTES = 1 << 20;

    /** The head of a record, and its first two numbers. */
    private static final int CLAIM_BYTES = Records.HEAD_BYTES + 18;

    /** Takes the records of the log. */
    interface Target {
        void record(Records.Logged record) throws IOException;
    }

    private LogFiles() {}

    static String name(String kind, long number) {
        // The digits of some languages are not those that numbers() looks for.
        return String.format(Locale.ROOT, "%s%020d", kind, number);
    }

    /** The numbers of all files of a kind, from the lowest to the highest. */
    static List<Long> numbers(Disk disk, String kind) throws IOException {
        List<Long> numbers = new ArrayList<>();
        for (String name : disk.names()) {
            if (name.matches(kind + "[0-9]{20}")) {
                numbers.add(Long.parseLong(name.substring(kind.length())));
            }
        }
        numbers.sort(null);
        return numbers;
    }

    /** Begins a file of the log; it gets its name when its beginning is on the disk. */
    static Disk.Output create(Disk disk, long number, long id) throws IOException {
        String name = name(LOG, number);
        Disk.Output out = disk.create(name + StateFiles.UNFINISHED);
        boolean isDone = false;
        try {
            ByteBuf bytes = Unpooled.buffer(64).writeBytes(MAGIC);
            int start = Records.begin(bytes);
            Records.number(bytes, VERSION);
            bytes.writeLongLE(id);
            Records.number(bytes, number);
            Records.end(bytes, start);
            out.write(bytes.nioBuffer());
            out.sync();
            disk.rename(name + StateFiles.UNFINISHED, name);
            disk.syncNames();
            isDone = true;
            return out;
        } finally {
            if (!isDone) {
                out.close();
            }
        }
    }

    /**
     * Reads a file whose first record should have the number after {@code last}; returns the number of the last record.
     */
    static long read(Disk disk, long number, long id, long last, Target target) throws IOException {
        String name = name(LOG, number);
        try (RecordReader reader = RecordReader.open(disk, name, MAGIC)) {
            ByteBuf header = Unpooled.wrappedBuffer(reader.existing());
            long version = Records.number(header);
            if (version > VERSION) {
                throw new FormatException(name + " was written by a newer version (logs of version " + version
                        + ", this one reads " + VERSION + "): use that version");
            }
            if (header.readableBytes() < 8 || header.readLongLE() != id) {
                throw new FormatException(name + " belongs to another data directory");
            }
            if (Records.number(header) != number) {
                throw new FormatException(name + " was renamed: it is another part of the log");
            }
            long at = last;
            for (byte[] body = reader.next(); body != null; body = reader.next()) {
                Records.Logged record = Records.read(body);
                if (record.number() != at + 1) {
                    throw new FormatException(name + " has record " + record.number() + " where record " + (at + 1)
                            + " should be: files are missing or damaged; restore the directory from a backup");
                }
                try {
                    target.record(record);
                } catch (FormatException e) {
                    throw new FormatException(name + ", record " + record.number() + ": " + e.getMessage());
                }
                at++;
            }
            if (reader.position() < reader.length()
                    && hasLost(disk, name, reader.position(), reader.length(), at + 1)) {
                throw new FormatException(name + " is damaged at byte " + reader.position()
                        + ": whole records follow, and what is lost there was on the disk before;"
                        + " restore the directory from a backup");
            }
            return at;
        }
    }

    /** True if a record after this position was made when the missing one had been synced. */
    private static boolean hasLost(Disk disk, String name, long from, long length, long missing) throws IOException {
        // Bytes that a client chose can look like the beginning of many long records, each of which would have to be
        // summed: after this many bytes the file is taken as damaged rather than cut.
        long budget = 16 * (length - from) + (64 << 20);
        byte[] window = new byte[WINDOW_BYTES];
        for (long at = from; at < length; ) {
            int filled;
            try (InputStream in = disk.read(name, at)) {
                filled = in.readNBytes(window, 0, window.length);
            }
            int places = at + filled >= length ? filled : filled - CLAIM_BYTES;
            for (int i = 0; i < places; i++) {
                if (window[i] != Records.MARK_0) {
                    continue;
                }
                ByteBuf claim = Unpooled.wrappedBuffer(window, i, Math.min(CLAIM_BYTES, filled - i));
                int bytes = claimedBytes(claim, missing, length - from, length - at - i);
                if (bytes > 0) {
                    budget -= bytes;
                    if (budget < 0 || isRecord(disk, name, at + i)) {
                        return true;
                    }
                }
            }
            if (places <= 0) {
                break;
            }
            at += places;
        }
        return false;
    }

    /**
     * The length of a record that seems to begin here and says that the missing one had been synced, or 0. No more records can
     * follow the missing one than there is room for, and none is longer than the rest of the file.
     */
    private static int claimedBytes(ByteBuf claim, long missing, long room, long rest) {
        if (claim.readableBytes() < Records.HEAD_BYTES || claim.getByte(1) != Records.MARK_1) {
            return 0;
        }
        int bytes = claim.getIntLE(2);
        if (bytes <= 0 || bytes > Records.MAX_BODY_BYTES || bytes > rest - Records.HEAD_BYTES) {
            return 0;
        }
        claim.skipBytes(Records.HEAD_BYTES);
        try {
            long number = Records.number(claim);
            long synced = number - Records.number(claim);
            return synced >= missing && number > synced && number - missing <= room / Records.HEAD_BYTES ? bytes : 0;
        } catch (FormatException e) {
            return 0;
        }
    }

    private static boolean isRecord(Disk disk, String name, long at) throws IOException {
        try (RecordReader reader = new RecordReader(disk, name, at)) {
            byte[] body = reader.next();
            return body != null && logged(body) != null;
        }
    }

    private static Records.@Nullable Logged logged(byte[] body) {
        try {
            return Records.read(body);
        } catch (FormatException e) {
            return null;
        }
    }
}
