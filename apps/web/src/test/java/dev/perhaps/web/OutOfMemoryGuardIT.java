package dev.perhaps.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wherever memory of either kind runs out, the process ends with one line and a status of its own. */
class OutOfMemoryGuardIT {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "heap, thread",
        "heap, loop-task",
        "heap, handler",
        "java-direct, own-thread",
        "java-direct, pool-task",
        "netty-direct, loop-task",
        "netty-direct, listener",
        "netty-direct, handler",
        "netty-direct, write",
    })
    void aProgramThatRunsOutOfMemoryEnds(String memory, String place) throws Exception {
        Path errors = folder.resolve("errors");
        Process process = start(memory, place, errors);
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        List<String> lines = Files.readAllLines(errors, StandardCharsets.UTF_8).stream()
                .filter(line -> line.startsWith("perhaps: "))
                .toList();
        assertThat(process.exitValue()).as("%s", lines).isEqualTo(OutOfMemoryGuard.EXIT_STATUS);
        assertThat(lines).singleElement().asString().contains("out of memory");
    }

    @Test
    void anotherErrorDoesNotEndIt() throws Exception {
        Path errors = folder.resolve("errors");
        Process process = start("nothing", "thread", errors);
        try {
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (!Files.readString(errors).contains("not a question of memory") && System.nanoTime() - until < 0) {
                Thread.onSpinWait();
            }
            assertThat(Files.readString(errors)).contains("Exception in thread").contains("not a question of memory");
            assertThat(process.isAlive()).isTrue();
            OutOfMemoryGuard.check(new CompletionException(new IOException("disk full"))); // this test goes on
        } finally {
            process.destroyForcibly();
        }
    }

    private Process start(String memory, String place, Path errors) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx24m",
                        "-XX:MaxDirectMemorySize=16m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MemoryHog.class.getName(),
                        memory,
                        place)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(errors.toFile())
                .start();
    }
}
