package dev.perhaps.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the command line as a user does: a process of its own, in a folder of its own. */
public record Shell(Path folder) {
    private static final long PATIENCE_SECONDS = 120;

    /** More than a pipe holds: 64 KiB on Linux. */
    private static final int PIPE_BYTES = 1 << 18;

    /** What a process left behind. */
    public record Result(int code, String out, String err) {}

    /** A process that has been started, and where it speaks to. */
    public record Running(Process process, Path out, Path err) {
        /** Gives it this to read, and waits for its end. */
        public Result finish(String input) throws IOException, InterruptedException {
            try (OutputStream stdin = process.getOutputStream()) {
                stdin.write(input.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                // The process did not want to hear it all: its answer says why.
                assert e.getMessage() != null;
            }
            return finish();
        }

        public Result finish() throws IOException, InterruptedException {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("it did not end within " + PATIENCE_SECONDS + " s");
            }
            Result result = new Result(process.exitValue(), Files.readString(out), Files.readString(err));
            Files.delete(out);
            Files.delete(err);
            return result;
        }

        /** Writes lines until the process must have read some: more than a pipe holds. Its input stays open. */
        public void feed(String line) throws IOException {
            OutputStream stdin = process.getOutputStream();
            stdin.write((line + "\n").repeat(PIPE_BYTES / line.length()).getBytes(StandardCharsets.UTF_8));
            stdin.flush();
        }

        public void signal(String name) throws IOException, InterruptedException {
            new ProcessBuilder("kill", name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        }
    }

    public Result perhaps(String... arguments) throws IOException, InterruptedException {
        return perhapsWith("", arguments);
    }

    /** With this text on standard input. */
    public Result perhapsWith(String input, String... arguments) throws IOException, InterruptedException {
        return start(arguments).finish(input);
    }

    public Running start(String... arguments) throws IOException {
        return startAs(List.of(), List.of(), arguments);
    }

    /** Started by another command, whose words come first; and Java with these options. */
    public Running startAs(List<String> first, List<String> options, String... arguments) throws IOException {
        // In a background job of a script Ctrl-C is ignored, and children inherit that.
        List<String> command = new ArrayList<>(first);
        command.addAll(List.of("env", "--default-signal=INT"));
        List<String> java = java();
        int ours = java.indexOf("-cp"); // of two settings of the same thing Java takes the last
        command.addAll(java.subList(0, ours));
        command.addAll(options);
        command.addAll(java.subList(ours, java.size()));
        command.addAll(List.of(arguments));
        return run(command);
    }

    /** As if standard error were a terminal. */
    public Running startWatched(String... arguments) throws IOException {
        return startAs(List.of(), List.of("-Dperhaps.watched=true"), arguments);
    }

    /**
     * Runs many commands in one process, one after the other: starting one takes longer than what it does. None of them may
     * read standard input.
     */
    public List<Result> all(List<List<String>> commands) throws IOException, InterruptedException {
        Path list = Files.createTempFile(folder, "commands", ".captured");
        Files.write(
                list,
                commands.stream()
                        .map(words -> String.join(Commands.SEPARATOR, words))
                        .toList());
        List<String> words = new ArrayList<>(java(Commands.class));
        words.add(list.toString());
        Result together = run(words).finish("");
        String[] out = together.out.split(Commands.END + "[0-9]+\n", -1);
        String[] err = together.err.split(Commands.END, -1);
        if (out.length != commands.size() + 1 || err.length != out.length) {
            throw new IllegalStateException("a command ended them all: " + together);
        }
        List<Result> results = new ArrayList<>();
        for (int i = 0; i < commands.size(); i++) {
            // The code of one command stands before what the next says.
            String said = i == 0 ? err[0] : err[i].substring(err[i].indexOf('\n') + 1);
            int code = Integer.parseInt(err[i + 1].substring(0, err[i + 1].indexOf('\n')));
            results.add(new Result(code, out[i], said));
        }
        Files.delete(list);
        return results;
    }

    /** The words that start the command line, for use in a shell. */
    static List<String> java() {
        return java(Main.class);
    }

    private static List<String> java(Class<?> main) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx512m",
                // As the manifest of the program does; below it, Java does not ask.
                Runtime.version().feature() < 22 ? "-Xshare:auto" : "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName());
    }

    /** Runs a line of the shell in which {@code perhaps} is the command line. */
    public Result sh(String line) throws IOException, InterruptedException {
        return in("sh", line);
    }

    /** The same, of bash, which has more to it. */
    public Result bash(String line) throws IOException, InterruptedException {
        return in("bash", line);
    }

    private Result in(String shell, String line) throws IOException, InterruptedException {
        String quoted = "'" + String.join("' '", java()) + "'";
        return run(List.of(shell, "-c", "perhaps() { " + quoted + " \"$@\"; }\n" + line))
                .finish("");
    }

    private Running run(List<String> command) throws IOException {
        Path out = Files.createTempFile(folder, "out", ".captured");
        Path err = Files.createTempFile(folder, "err", ".captured");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        return new Running(process, out, err);
    }

    public Path write(String name, String... lines) throws IOException {
        return Files.write(folder.resolve(name), List.of(lines));
    }

    /** A file that its owner only may read, as secrets must be. */
    public Path writeSecret(String name, String line) throws IOException {
        Path file = write(name, line);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    /** The names of all files that are there, hidden ones too. */
    public List<String> files() throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.endsWith(".captured"))
                    .sorted()
                    .toList();
        }
    }
}
