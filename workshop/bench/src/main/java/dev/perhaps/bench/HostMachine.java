package dev.perhaps.bench;

import dev.perhaps.io.Figures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The machine and the Java version of a run. */
public final class HostMachine {
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

    private HostMachine() {}

    public static String describe() {
        return processor() + ", " + Runtime.getRuntime().availableProcessors() + " cores; "
                + System.getProperty("java.vm.name") + " " + System.getProperty("java.version") + ", heap up to "
                + Figures.bytes(Runtime.getRuntime().maxMemory());
    }

    private static String processor() {
        try {
            return processor(Files.readAllLines(PROCESSORS));
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
    }

    static String processor(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse(System.getProperty("os.arch"));
    }
}
