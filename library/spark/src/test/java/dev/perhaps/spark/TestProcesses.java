package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Programs of a test that run as processes on loopback. Closing it ends them all. */
final class TestProcesses implements AutoCloseable {
    private static final String LOGS = """
            rootLogger.level = warn
            rootLogger.appenderRef.stdout.ref = stdout
            appender.stdout.type = Console
            appender.stdout.name = stdout
            appender.stdout.layout.type = PatternLayout
            appender.stdout.layout.pattern = %p %c{1}: %m%n%ex{1}
            logger.master.name = org.apache.spark.deploy.master.Master
            logger.master.level = info
            logger.connect.name = org.apache.spark.sql.connect.service
            logger.connect.level = info
            """;
    /** Ends a test that hangs: far more than any wait takes. */
    static final int LIMIT_SECONDS = 240;

    /** For processes that live for seconds: half the time of the test goes into compiling otherwise. */
    static final List<String> SHORT_LIVED = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private final Path folder;
    private final List<Started> processes = new ArrayList<>();

    TestProcesses(Path folder) throws IOException {
        this.folder = folder;
        // Also if a process does not come up, or the test is interrupted.
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
        Files.writeString(folder.resolve("log4j2.properties"), LOGS);
    }

    int count() {
        return processes.size();
    }

    static List<String> classPath() {
        return Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator, -1));
    }

    Started start(String heap, List<String> arguments) throws IOException {
        return start(heap, classPath(), arguments);
    }

    Started start(String heap, List<String> path, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), heap));
        command.addAll(SHORT_LIVED);
        command.addAll(Arrays.asList(System.getProperty("perhaps.spark.jvm", "").split(" ", -1)));
        command.add("-Dlog4j2.configurationFile=" + folder.resolve("log4j2.properties"));
        command.addAll(List.of("-cp", String.join(File.pathSeparator, path)));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment()
                .putAll(Map.of(
                        "SPARK_HOME", folder.resolve("home").toString(),
                        "SPARK_SCALA_VERSION", "2.13",
                        "SPARK_LOCAL_IP", "127.0.0.1",
                        "SPARK_LOCAL_HOSTNAME", "127.0.0.1",
                        "SPARK_PUBLIC_DNS", "127.0.0.1",
                        "SPARK_LOCAL_DIRS", folder.resolve("scratch").toString()));
        Started process = new Started(builder.start());
        processes.add(process);
        return process;
    }

    /** Ends every process, and what they started: executors are children of their workers. */
    @Override
    public void close() {
        List<ProcessHandle> all = new ArrayList<>();
        for (Started started : processes) {
            started.process.descendants().forEach(all::add);
            all.add(started.process.toHandle());
        }
        all.addAll(
                processes.stream().flatMap(started -> started.children.stream()).toList());
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(handle -> handle.onExit().join());
    }

    /** A process and the lines that it writes. */
    static final class Started {
        private final Process process;
        private final List<String> seen = new ArrayList<>();
        private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
        private List<ProcessHandle> children = List.of();

        private Started(Process process) {
            this.process = process;
            Thread reader = new Thread(this::read, "output of " + process.pid());
            reader.setDaemon(true);
            reader.start();
        }

        private void read() {
            try (BufferedReader reader =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    lines.add(line);
                }
            } catch (IOException e) {
                lines.add(String.valueOf(e));
            }
            lines.add(END);
        }

        private static final String END = "\0end";

        /** The next line that contains this. */
        String awaitLine(String part) {
            String line = awaitLineOrEnd(part);
            if (line == null) {
                throw new AssertionError("no line with '" + part + "' in the output:\n" + String.join("\n", seen));
            }
            return line;
        }

        @Nullable
        String awaitLineOrEnd(String part) {
            try {
                while (true) {
                    String line = lines.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
                    if (line == null || line.equals(END)) {
                        return null;
                    }
                    seen.add(line);
                    if (line.contains(part)) {
                        return line;
                    }
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        /** Waits for the end, which must be a good one, and returns the lines that start like this, without their start. */
        List<String> awaitEnd(String start) throws InterruptedException {
            String next = awaitLineOrEnd(start);
            while (next != null) {
                next = awaitLineOrEnd(start);
            }
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(String.join("\n", seen)).isZero();
            return seen.stream()
                    .filter(line -> line.startsWith(start))
                    .map(line -> line.substring(start.length()))
                    .toList();
        }

        /** The processes that this one started. */
        List<ProcessHandle> children() {
            return process.descendants().toList();
        }

        /** As {@code kill -9}: its executors notice by themselves. */
        void kill() {
            children = children();
            process.destroyForcibly();
        }

        void awaitKilled() throws Exception {
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }

        void awaitChildrenEnded() throws Exception {
            for (ProcessHandle child : children) {
                child.onExit().get(LIMIT_SECONDS, TimeUnit.SECONDS);
            }
        }
    }
}
