package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** redis-cli as a person uses it: on a terminal, with the hints that it makes of COMMAND DOCS. */
@Timeout(60)
class TerminalIT {
    private static final String GRAY = "\033[0;90;49m";

    /** Reads until a text has been shown, and returns everything up to it. */
    @CanIgnoreReturnValue
    private static String until(InputStream screen, String text) throws IOException {
        StringBuilder shown = new StringBuilder();
        while (shown.indexOf(text) < 0) {
            int letter = screen.read();
            if (letter < 0) {
                throw new IOException("it ended after " + shown);
            }
            shown.append((char) letter);
        }
        return shown.toString();
    }

    /** The same, and waits until keys are read again: what is typed before the prompt is there is thrown away. */
    @CanIgnoreReturnValue
    private static String reply(InputStream screen, String text, String prompt) throws IOException {
        String shown = until(screen, text);
        until(screen, prompt);
        return shown;
    }

    private static void type(Process terminal, String keys) throws IOException {
        terminal.getOutputStream().write(keys.getBytes(StandardCharsets.US_ASCII));
        terminal.getOutputStream().flush();
    }

    @Test
    void redisCliShowsHintsAndHelpWhileCommandsAreTyped() throws Exception {
        for (String program : new String[] {"redis-cli", "script"}) {
            assumeThat(Path.of("/usr/bin/" + program))
                    .as("Debian's redis-tools and bsdutils; bin/test installs the first")
                    .exists();
        }
        try (SketchServer server = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .open()) {
            int port = server.address().getPort();
            // A terminal without a size is asked for it, which nobody here answers.
            ProcessBuilder command = new ProcessBuilder(
                    "timeout", "60", "script", "-qec", "stty cols 200 rows 40; exec redis-cli -p " + port, "/dev/null");
            command.environment().put("TERM", "xterm");
            command.environment().put("HOME", "/nonexistent");
            Process terminal = command.redirectErrorStream(true).start();
            try (InputStream screen = terminal.getInputStream()) {
                String prompt = "127.0.0.1:" + port + "> ";
                until(screen, prompt);
                type(terminal, "BF.RESERVE");
                until(
                        screen,
                        "BF.RESERVE" + GRAY
                                + " key error_rate capacity [EXPANSION expansion] [NONSCALING] [WINDOW duration]");
                type(terminal, " seen 0.01 100\r");
                reply(screen, "\nOK\r\n", prompt);
                type(terminal, "bf.add seen x\r");
                reply(screen, "\n(integer) 1\r\n", prompt);
                type(terminal, "BF.INFO seen ITEMS\r");
                reply(screen, "\n1) (integer) 1\r\n", prompt);
                type(terminal, "HELP BF.ADD\r");
                assertThat(reply(screen, "group:", prompt)).contains("Adds an item; creates the filter.");
                type(terminal, "HELP CLIENT KILL\r");
                assertThat(reply(screen, "group:", prompt)).contains("Closes connections.");
                type(terminal, "CONFIG S\t");
                until(screen, "CONFIG SET" + GRAY + " parameter value [parameter value ...]");
                type(terminal, " timeout 0\r");
                reply(screen, "\nOK\r\n", prompt);
                type(terminal, "QUIT\r");
                assertThat(terminal.waitFor(60, TimeUnit.SECONDS)).isTrue();
                assertThat(terminal.exitValue()).isZero();
            } finally {
                terminal.destroyForcibly();
            }
        }
    }
}
