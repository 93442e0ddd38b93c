package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * What is in a release is what it was when it was looked at: every jar of others has the checksum that is written down,
 * whatever repository it came from. {@code -Dchecksums.write} writes them down.
 */
class DependencyChecksumsTest {
    private static final Path EXPECTED = Path.of("../../checksums.sha256");
    private static final Path JARS = Path.of("target/runtime-jars");

    @Test
    void everyJarIsTheOneThatWasLookedAt() throws Exception {
        assumeThat(JARS).as("a build with -Dunchecked does not list its jars").exists();
        Map<String, String> found = new TreeMap<>();
        for (String entry : Files.readString(JARS).strip().split(File.pathSeparator, -1)) {
            Path jar = Path.of(entry);
            if (entry.endsWith(".jar") && !jar.getFileName().toString().startsWith("perhaps-")) {
                found.put(jar.getFileName().toString(), sha256(jar));
            }
        }
        assertThat(found).hasSizeGreaterThan(10);
        if (System.getProperty("checksums.write") != null) {
            List<String> lines = new ArrayList<>();
            found.forEach((name, sum) -> lines.add(sum + "  " + name));
            Files.write(EXPECTED, lines);
        }
        Map<String, String> expected = new TreeMap<>();
        for (String line : Files.readAllLines(EXPECTED)) {
            expected.put(line.substring(66), line.substring(0, 64));
        }
        assertThat(found)
                .as("if you changed a dependency on purpose: mvn test -pl cli -am"
                        + " -Dtest=DependencyChecksumsTest -Dsurefire.failIfNoSpecifiedTests=false -Dchecksums.write")
                .isEqualTo(expected);
    }

    private static String sha256(Path jar) throws IOException, NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar)));
    }
}
