package dev.perhaps.cli.engine.process;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a command must not leave behind, however it ends: a process with its children, and a folder. Thread-safe. */
final class Leftovers {
    /** What Spark and Maven need to end by themselves, and far more than that. */
    private static final long GRACE_SECONDS = 20;

    private final Path folder;
    private final Thread hook = new Thread(this::end, "leftovers");
    private @Nullable Process process;
    private boolean isEnding;

    Leftovers(Path folder) {
        this.folder = folder;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Ends this process too; at once, if the program is ending already. */
    void process(Process started) {
        boolean isTooLate;
        synchronized (this) {
            process = started;
            isTooLate = isEnding;
        }
        if (isTooLate) {
            stop(started);
        }
    }

    /** True once this program is being ended from outside. */
    synchronized boolean isEnding() {
        return isEnding;
    }

    private void end() {
        Process running;
        synchronized (this) {
            isEnding = true;
            running = process;
        }
        if (running != null) {
            stop(running);
        }
        delete(folder);
    }

    private static void stop(Process process) {
        List<ProcessHandle> all = Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .toList();
        all.forEach(ProcessHandle::destroy);
        for (ProcessHandle each : all) {
            try {
                each.onExit().get(GRACE_SECONDS, TimeUnit.SECONDS);
            } catch (Exception e) { // it does not end by itself, or nobody waits any longer
                each.destroyForcibly();
            }
        }
    }

    /** After the process has ended. */
    void close() {
        delete(folder);
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The program ends already, and the hook runs.
        }
    }

    private static void delete(Path folder) {
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException e) {
                    return FileVisitResult.CONTINUE; // gone already, as Spark tidies up too
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e) throws IOException {
                    Files.deleteIfExists(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            // What cannot be deleted is in a folder for temporary files.
        }
    }
}
