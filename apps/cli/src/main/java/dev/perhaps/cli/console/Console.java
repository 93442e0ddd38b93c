package dev.perhaps.cli.console;

import dev.perhaps.io.Figures;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/** Where commands speak: results to standard output as bytes, everything else to standard error. */
public final class Console {
    private static final int BUFFER_BYTES = 1 << 16;

    /** True if standard output is a terminal; the launcher knows. */
    private static final boolean SHOWN = Boolean.getBoolean("perhaps.shown");

    private static OutputStream out = standard();
    private static boolean quoted;

    private Console() {}

    /** The reader of our output has closed it: there is nothing left to do, and nothing to report. */
    public static final class ReaderGone extends IOException {}

    private static OutputStream standard() {
        return new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), BUFFER_BYTES);
    }

    /** Results are printed as they are, unless a person sees them at once: what controls a terminal is shown then. */
    public static void print(byte[] bytes, int from, int to) throws IOException {
        try {
            if (SHOWN) {
                out.write(Printable.lines(bytes, from, to));
            } else {
                out.write(bytes, from, to - from);
            }
        } catch (IOException e) {
            throw explained(e);
        }
    }

    /** Standard output as a stream; closing it does nothing. */
    public static OutputStream stream() {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                print(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                print(bytes, from, from + length);
            }
        };
    }

    /** A writer of this program's own text, which may colour a terminal. Failures to write are reported by {@link #flush}. */
    public static PrintWriter writer() {
        OutputStream raw = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                out.write(b);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                out.write(bytes, from, length);
            }
        };
        return new PrintWriter(new OutputStreamWriter(raw, StandardCharsets.UTF_8), true);
    }

    public static void print(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        print(bytes, 0, bytes.length);
    }

    /** A key in a line: what would end the line or a column is escaped; bytes that are no text only where a terminal is. */
    public static void printKey(byte[] bytes, int from, int to) throws IOException {
        if (Printable.isPlainKey(bytes, from, to)) {
            print(bytes, from, to);
        } else {
            byte[] shown = Printable.key(bytes, from, to);
            print(shown, 0, shown.length);
        }
    }

    public static void println(String text) throws IOException {
        print(text + "\n");
    }

    public static void flush() throws IOException {
        try {
            out.flush();
        } catch (IOException e) {
            throw explained(e);
        }
    }

    /** Forgets what could not be written. */
    public static void abandon() {
        out = standard();
    }

    /** Drops what could not be written: the error was reported, and is not reported again at the end. */
    private static IOException explained(IOException e) {
        abandon();
        String message = String.valueOf(e.getMessage());
        return message.contains("Broken pipe") ? new ReaderGone() : new IOException("standard output: " + message, e);
    }

    /** Returns true if a person reads the results: on a terminal, or as a quotation in a text. */
    private static boolean isRead() {
        return SHOWN || quoted;
    }

    /** A number of a result: plain digits for a program, with separators for a person. */
    public static String count(long n) {
        return isRead() ? Figures.count(n) : Long.toString(n);
    }

    /** The same of a number with decimals, which is counted in its smallest unit: 1250 with 2 decimals is 12.50. */
    public static String count(long n, int decimals) {
        return isRead() ? spoken(n, decimals) : BigDecimal.valueOf(n, decimals).toPlainString();
    }

    /** The same, in a sentence for a person. */
    public static String spoken(long n, int decimals) {
        String digits = BigDecimal.valueOf(n, decimals).toPlainString();
        int point = digits.indexOf('.');
        String whole = point < 0 ? digits : digits.substring(0, point);
        String sign = whole.startsWith("-") ? "-" : "";
        return sign + Figures.count(Math.abs(Long.parseLong(whole))) + (point < 0 ? "" : digits.substring(point));
    }

    /** The same with its unit, whose plural is formed with an s. */
    public static String count(long n, String thing) {
        return count(n) + " " + thing + (n == 1 ? "" : "s");
    }

    /** From at least to at most. */
    public static String range(long least, long most, int decimals) {
        return count(least, decimals) + (isRead() ? "–" : "-") + count(most, decimals);
    }

    /** An estimate: marked as one on a terminal. */
    public static String estimate(long n) {
        return isRead() ? "≈ " + count(n) : count(n);
    }

    /** A figure with its unit, as a person reads it; without separators and marks for a program. */
    public static String figure(String text) {
        return isRead() ? text : text.replaceAll("(?<=[0-9]),(?=[0-9]{3})", "").replace("≈ ", "");
    }

    /** Says something that is not a result, in one line. */
    public static void say(String sentence) {
        String text = Printable.text(sentence);
        if (quoted) {
            byte[] bytes = (text + "\n").getBytes(StandardCharsets.UTF_8);
            try {
                out.write(bytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        } else {
            System.err.println(text);
        }
    }

    public static void warn(String text) {
        say("perhaps: warning: " + text);
    }

    public static void complain(String text) {
        say("perhaps: " + text);
    }

    /** Returns true if standard error is a terminal; the launcher knows. */
    public static boolean isWatched() {
        return !quoted && Boolean.getBoolean("perhaps.watched");
    }

    /** Runs a command and shows all it says as a quotation, with {@code hidden} left out of it. */
    public static void quote(String margin, String hidden, Runnable command) throws IOException {
        OutputStream before = out;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        out = said;
        quoted = true;
        try {
            command.run();
        } finally {
            out = before;
            quoted = false;
        }
        String text = said.toString(StandardCharsets.UTF_8).replace(hidden, "");
        for (String line : text.lines().toList()) {
            println(line.isEmpty() ? "" : margin + line);
        }
    }
}
