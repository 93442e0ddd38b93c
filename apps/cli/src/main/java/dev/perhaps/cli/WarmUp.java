package dev.perhaps.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs the usual commands once, so that the launcher learns which classes they load and can keep them in an archive from
 * which Java starts faster. Never run by a user.
 */
final class WarmUp {
    private WarmUp() {}

    public static void main(String[] args) throws IOException {
        Path folder = Files.createTempDirectory("perhaps-warm-up");
        try {
            String input = folder.resolve("input").toString();
            String filter = folder.resolve("filter").toString();
            Files.write(Path.of(input), List.of("one", "two", "three"));
            Main.run("--help");
            Main.run("--version");
            Main.run("filter", "--help");
            Main.run("filter", "build", input, "-o", filter, "--json");
            Main.run("filter", "build", input, "-o", filter);
            Main.run("filter", "check", filter, input);
            Main.run("filter", "check", filter, input, "--count", "--json");
            Main.run("filter", "info", filter);
            Main.run("count", "build", input, "-o", filter, "--force");
            Main.run("count", "query", filter, input);
            Main.run("distinct", input);
            Main.run("top", input);
            Main.run("dedup", input, "--report");
            Main.run("baskets", input, "--threshold", "0.5", "--report");
            Main.run("similar", "build", input, "-o", filter, "--force");
            Main.run("similar", "query", filter, input);
            Main.run(
                    "dedup",
                    folder.toString(),
                    "--format",
                    "files",
                    "--clusters",
                    folder.resolve("clusters").toString());
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
