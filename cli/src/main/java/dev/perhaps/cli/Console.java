package dev.perhaps.cli;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Where commands speak: results to standard output as bytes, everything else to standard error. */
final class Console {
    private static final int BUFFER_BYTES = 1 << 16;

    /** True if standard output is a terminal; the launcher knows. */
    private static final boolean SHOWN = Boolean.getBoolean("perhaps.shown");

    private static OutputStream out = standard();
    private static boolean quoted;

    private Console() {}

    /** Whoever read our output has closed it: there is nothing left to do, and nothing to complain of. */
    static final class ReaderGone extends IOException {}

    private static OutputStream standard() {
        return new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), BUFFER_BYTES);
    }

    /** Results are printed as they are, unless a person sees them at once: what controls a terminal is shown then. */
    static void print(byte[] bytes, int from, int to) throws IOException {
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
    static OutputStream stream() {
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

    static void print(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        print(bytes, 0, bytes.length);
    }

    /** A key in a table for people: control characters are shown; bytes that are no text only where a terminal is. */
    static void printKey(byte[] bytes, int from, int to) throws IOException {
        if (Printable.hasNoControls(bytes, from, to)) {
            print(bytes, from, to);
        } else {
            byte[] shown = Printable.bytes(bytes, from, to);
            print(shown, 0, shown.length);
        }
    }

    static void println(String text) throws IOException {
        print(text + "\n");
    }

    static void flush() throws IOException {
        try {
            out.flush();
        } catch (IOException e) {
            throw explained(e);
        }
    }

    /** Forgets what could not be written. */
    static void abandon() {
        out = standard();
    }

    /** What could not be written is forgotten: it is told once, not again at the end. */
    private static IOException explained(IOException e) {
        abandon();
        String message = String.valueOf(e.getMessage());
        return message.contains("Broken pipe") ? new ReaderGone() : new IOException("standard output: " + message, e);
    }

    /** Says something that is no result, in one line. */
    static void say(String sentence) {
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

    static void warn(String text) {
        say("perhaps: warning: " + text);
    }

    static void complain(String text) {
        say("perhaps: " + text);
    }

    /** True if standard error is a terminal; the launcher knows. */
    static boolean isWatched() {
        return !quoted && Boolean.getBoolean("perhaps.watched");
    }

    /** Runs a command and shows all it says as a quotation, with {@code hidden} left out of it. */
    static void quote(String margin, String hidden, Runnable command) throws IOException {
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
