package dev.perhaps.cli.launch;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs programs in a folder, with an environment that holds only what is given here. */
final class Programs {
    static final Path CHECKOUT = Path.of("..", "..").toAbsolutePath().normalize();
    static final Path JAR = CHECKOUT.resolve("apps/cli/target/perhaps.jar");
    static final Path INSTALL = CHECKOUT.resolve("apps/cli/target/install");
    private static final long MAX_SECONDS = 180;
    private static final int LTS_BEFORE = 21;

    private final Path folder;
    private final Map<String, String> environment = new TreeMap<>();

    Programs(Path folder) {
        this.folder = folder;
        environment.put("PATH", "/usr/local/bin:/usr/bin:/bin");
        environment.put("HOME", folder.resolve("home").toString());
        environment.put("JAVA_HOME", System.getProperty("java.home"));
    }

    /** What a program left behind. */
    record Result(int code, String out, String err) {}

    /** A program that runs, and where its output goes. */
    record Running(Process process, Path out, Path err) {
        Result finish() throws IOException, InterruptedException {
            if (!process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                throw new IllegalStateException("still running after " + MAX_SECONDS + " s: " + Files.readString(err));
            }
            return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
        }

        /** Returns once it has printed this, or throws if it ends before. */
        void awaitPrinted(String text) throws IOException, InterruptedException {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_SECONDS);
            while (!(Files.readString(out) + Files.readString(err)).contains(text)) {
                if (!process.isAlive() || System.nanoTime() > end) {
                    throw new IllegalStateException("'" + text + "' was not printed: " + Files.readString(err));
                }
                Thread.sleep(20);
            }
        }

        void signal(String name) throws IOException, InterruptedException {
            new ProcessBuilder("kill", name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        }
    }

    /** With this environment variable too. */
    Programs with(String name, Object value) {
        Programs other = new Programs(folder);
        other.environment.clear();
        other.environment.putAll(environment);
        other.environment.put(name, value.toString());
        return other;
    }

    Programs without(String name) {
        Programs other = with(name, "");
        other.environment.remove(name);
        return other;
    }

    Result run(Object... words) throws IOException, InterruptedException {
        return start(words).finish();
    }

    Running start(Object... words) throws IOException {
        // In a background job of a script Ctrl-C is ignored, and children inherit that.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        Stream.of(words).map(Object::toString).forEach(command::add);
        Path out = Files.createTempFile("perhaps", ".out");
        Path err = Files.createTempFile("perhaps", ".err");
        out.toFile().deleteOnExit();
        err.toFile().deleteOnExit();
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return new Running(builder.start(), out, err);
    }

    /** The launcher, the jar and the table, as an installation has them. */
    static Path install(Path folder) throws IOException {
        Files.createDirectories(folder.resolve("bin"));
        Files.createDirectories(folder.resolve("lib"));
        Files.copy(INSTALL.resolve("lib/perhaps.launch"), folder.resolve("lib/perhaps.launch"));
        Files.copy(JAR, folder.resolve("lib/perhaps.jar"));
        return copy(CHECKOUT.resolve("apps/cli/src/dist/perhaps"), folder.resolve("bin/perhaps"));
    }

    static Path copy(Path program, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        Files.copy(program, to);
        if (!to.toFile().setExecutable(true, false)) {
            throw new IOException("cannot be made executable: " + to);
        }
        return to;
    }

    static Path script(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + text);
        if (!file.toFile().setExecutable(true, false)) {
            throw new IOException("cannot be made executable: " + file);
        }
        return file;
    }

    /**
     * The Javas that it is tested on: that of the tests, and the newest LTS. If that is not here, its place in the list is taken
     * by a Java that is not there, so that its tests are reported as not run.
     */
    static List<Path> javas() throws IOException {
        List<Path> javas = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"))));
        Path all = Path.of("/usr/lib/jvm");
        if (Files.isDirectory(all)) {
            try (Stream<Path> homes = Files.list(all)) {
                homes.filter(home -> home.getFileName().toString().matches(".*\\b25\\b.*"))
                        .filter(home -> Files.isExecutable(home.resolve("bin/java")))
                        .filter(home -> !javas.contains(home))
                        .sorted()
                        .limit(1)
                        .forEach(javas::add);
            }
        }
        if (javas.size() == 1 && Runtime.version().feature() <= LTS_BEFORE) {
            javas.add(all.resolve("java-25"));
        }
        return javas;
    }

    /** To be asked first by a test that runs on each of {@link #javas}. */
    static void assumeInstalled(Path java) {
        assumeThat(java.resolve("bin/java"))
                .as("no Java newer than %d was found in /usr/lib/jvm", LTS_BEFORE)
                .isExecutable();
    }

    /** A folder of links to these programs of this machine, to be a path. */
    static Path links(Path folder, String... names) throws IOException {
        Files.createDirectory(folder);
        for (String name : names) {
            Files.createSymbolicLink(folder.resolve(name), Path.of("/usr/bin", name));
        }
        return folder;
    }
}
