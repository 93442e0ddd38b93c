package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The limits of leaked hashes: of a range, and of memory. */
class PwnedIT {
    private static String hash(String prefix, int i) {
        return prefix + String.format(Locale.ROOT, "%035X", i);
    }

    @Test
    void aRangeAndTheMemoryAreLimited() throws IOException {
        try (SketchServer server = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .open(System::currentTimeMillis, 1);
                Wire wire = Wire.open(server, 2)) {
            // In an order that is not theirs.
            for (int i = 0; i < 10_000; i++) {
                wire.send(Wire.request(Wire.bytes("PWNED.ADD", "p", hash("ABCDE", i * 7 % 10_000))));
            }
            for (int i = 0; i < 10_000; i++) {
                assertThat(wire.read()).isEqualTo(":1⏎");
            }
            String full = "-ERR at most 10000 hashes may have the same first 5 digits⏎";
            assertThat(wire.call("PWNED.ADD", "p", hash("ABCDE", 10_000))).isEqualTo(full);
            assertThat(wire.call("PWNED.ADD", "p", hash("ABCDE", 9_999), "2")).isEqualTo(":3⏎");
            assertThat(wire.call("PWNED.ADD", "p", hash("ABCDF", 0))).isEqualTo(":1⏎");
            String range = wire.call("PWNED.RANGE", "p", "ABCDE");
            assertThat(range).startsWith("*10000⏎*2⏎$35⏎" + hash("", 0) + "⏎:1⏎*2⏎$35⏎" + hash("", 1) + "⏎:1⏎");
            assertThat(range).endsWith("*2⏎$35⏎" + hash("", 9_999) + "⏎:3⏎");
            wire.call("CONFIG", "SET", "max-key-memory", "200000");
            assertThat(wire.call("PWNED.ADD", "p", hash("12345", 1))).startsWith("-OOM");
            assertThat(wire.call("PWNED.RANGE", "p", "12345")).isEqualTo("*0⏎");
        }
    }
}
