package dev.perhaps.cli.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Perhaps as it is installed, and its command line as a user types it, each a process in a folder. */
final class Installation {
    private static final Path CHECKOUT = Path.of("..", "..").toAbsolutePath().normalize();
    /** Where Spark's jars are fetched to, once for all tests. */
    static final Path CACHE = CHECKOUT.resolve("apps/cli-spark/target/cache");

    private static final long LIMIT_SECONDS = 300;

    private final Path folder;
    private final Path perhaps;
    private final Map<String, String> environment = new HashMap<>();

    /** What a process left behind. */
    record Result(int code, String out, String err) {}

    /** A process that runs. */
    record Running(Process process, Path out, Path err) {
        Result finish() throws IOException, InterruptedException {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                throw new IllegalStateException("it did not end: " + Files.readString(err));
            }
            return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
        }
    }

    Installation(Path folder) throws IOException {
        this.folder = folder;
        Path home = Files.createDirectories(folder.resolve("installed"));
        Path bin = Files.createDirectories(home.resolve("bin"));
        Path lib = Files.createDirectories(home.resolve("lib"));
        Files.copy(CHECKOUT.resolve("apps/cli/target/perhaps.jar"), lib.resolve("perhaps.jar"));
        Files.copy(CHECKOUT.resolve("apps/cli/target/install/lib/perhaps.launch"), lib.resolve("perhaps.launch"));
        Files.copy(CHECKOUT.resolve("apps/cli-spark/target/perhaps-spark.jar"), lib.resolve("perhaps-spark.jar"));
        this.perhaps = Files.copy(CHECKOUT.resolve("apps/cli/src/dist/perhaps"), bin.resolve("perhaps"));
        executable(perhaps);
        environment.put("XDG_CACHE_HOME", CACHE.toString());
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        environment.put(
                "PERHAPS_JAVA_OPTIONS", "-Djava.io.tmpdir=" + Files.createDirectories(folder.resolve("temporary")));
        environment.put("SPARK_HOME", "");
    }

    static void executable(Path program) {
        if (!program.toFile().setExecutable(true, false)) {
            throw new IllegalStateException("cannot be made executable: " + program);
        }
    }

    Installation with(String name, Object value) {
        environment.put(name, value.toString());
        return this;
    }

    Result run(String... words) throws IOException, InterruptedException {
        return start(words).finish();
    }

    Running start(String... words) throws IOException {
        // In a background job of a script Ctrl-C is ignored, and children inherit that.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT", perhaps.toString()));
        command.addAll(List.of(words));
        Path out = Files.createTempFile(folder, "run", ".out");
        Path err = Files.createTempFile(folder, "run", ".err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().putAll(environment);
        return new Running(builder.start(), out, err);
    }
}
