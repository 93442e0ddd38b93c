package dev.perhaps.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The units for systemd in deploy/ start Java as the launcher does: the server had other flags, and half the speed. */
class ServiceUnitFlagsTest {
    private static final Path UNITS = Path.of("..", "..", "deploy", "systemd");
    private static final Pattern FLAGS = Pattern.compile("(?m)^ExecStart=/usr/bin/java (.*) -jar ");

    @ParameterizedTest
    @CsvSource({"peer, SERVICE", "server, KEYS"})
    void aUnitHasTheFlagsOfTheLauncher(String name, Workload.Kind kind) throws IOException {
        Matcher unit = FLAGS.matcher(Files.readString(UNITS.resolve("perhaps-" + name + ".service")));
        assertThat(unit.find()).isTrue();
        String flags = kind.flags()
                .replace("-Xmx{megabytes*2+384}m", "-Xmx${SERVER_HEAP}")
                .replace("Size={megabytes/4+384}m", "Size=${SERVER_DIRECT}");
        assertThat(unit.group(1)).isEqualTo(flags);
    }

    /** What the unit cannot compute is written into its configuration for the memory that is set there. */
    @ParameterizedTest
    @CsvSource({"SERVER_HEAP, 2", "SERVER_DIRECT, 0.25"})
    void theConfigurationHasTheMemoryOfTheLauncher(String setting, double factor) throws IOException {
        String configuration = Files.readString(UNITS.resolve("server.conf"));
        long megabytes = number(configuration, "--max-memory (\\d+)M");
        assertThat(number(configuration, "(?m)^" + setting + "=(\\d+)m$")).isEqualTo((long) (factor * megabytes) + 384);
    }

    private static long number(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(pattern).isTrue();
        return Long.parseLong(matcher.group(1));
    }
}
