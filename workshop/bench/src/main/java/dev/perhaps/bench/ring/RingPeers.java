package dev.perhaps.bench.ring;

import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.RingView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Peers on loopback, each a process as {@code bin/perhaps peer} starts it; all are killed at the end. */
final class RingPeers implements AutoCloseable {
    /** Much less than a peer may take: many share this machine. */
    private static final String JAVA_OPTIONS = "-Xmx128m";

    /** Below the ephemeral ports, so that a peer that restarts finds its port free. */
    private static final int FIRST_PORT =
            12_000 + (int) (ProcessHandle.current().pid() % 150) * 100;

    /** Java takes seconds of a core to start; more at once only wait for each other. */
    private static final int AT_ONCE = 3;

    private static final int PATIENCE_SECONDS = 180;
    private static final int ASK_MILLIS = 20_000;

    private final String perhaps;
    private final Path folder;
    private final TreeMap<Integer, Process> running = new TreeMap<>();

    RingPeers(String perhaps, Path folder) {
        this.perhaps = perhaps;
        this.folder = folder;
    }

    /** Builds the command line if that is due, once, before many want it. */
    void prepare() throws IOException, InterruptedException {
        Process version = new ProcessBuilder(perhaps, "--version")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        if (version.waitFor() != 0) {
            throw new IOException(perhaps + " could not be started");
        }
    }

    static String address(int number) {
        return "127.0.0.1:" + (FIRST_PORT + number);
    }

    Path shelf(int number) {
        return folder.resolve("p" + number).resolve("shelf");
    }

    /** The numbers of those that run. */
    List<Integer> numbers() {
        return List.copyOf(running.keySet());
    }

    /** Starts them, new or again, a few at a time; returns when all are on the ring. The first of all begins it. */
    void start(List<Integer> numbers) throws IOException, InterruptedException {
        for (int from = 0; from < numbers.size(); ) {
            int to = running.isEmpty() ? 1 : Math.min(numbers.size(), from + AT_ONCE);
            Optional<String> contact = running.keySet().stream().findFirst().map(RingPeers::address);
            for (int number : numbers.subList(from, to)) {
                running.put(number, start(number, contact));
            }
            for (int number : numbers.subList(from, to)) {
                awaitReady(number);
            }
            from = to;
        }
    }

    private Process start(int number, Optional<String> contact) throws IOException {
        List<String> words = new ArrayList<>(List.of(perhaps, "peer", "--listen", address(number)));
        words.addAll(List.of("--dir", folder.resolve("p" + number).toString()));
        contact.ifPresent(address -> words.addAll(List.of("--join", address)));
        ProcessBuilder builder = new ProcessBuilder(words)
                .redirectOutput(said(number).toFile())
                .redirectError(folder.resolve("err" + number).toFile());
        builder.environment().put("PERHAPS_JAVA_OPTIONS", JAVA_OPTIONS);
        return builder.start();
    }

    private Path said(int number) {
        return folder.resolve("out" + number);
    }

    private void awaitReady(int number) throws IOException, InterruptedException {
        long start = System.nanoTime();
        while (!Files.readString(said(number)).endsWith("\n")) {
            Process process = running.get(number);
            if (process == null || !process.isAlive() || secondsSince(start) > PATIENCE_SECONDS) {
                throw new IllegalStateException(address(number) + " is not ready: "
                        + Files.readString(folder.resolve("err" + number)).strip());
            }
            Thread.sleep(50);
        }
    }

    /** Kills them all at once, as if their machines had lost power. */
    void kill(List<Integer> numbers) throws InterruptedException {
        List<Process> killed = new ArrayList<>();
        for (int number : numbers) {
            Optional.ofNullable(running.remove(number)).ifPresent(killed::add);
        }
        killed.forEach(Process::destroyForcibly);
        for (Process process : killed) {
            process.waitFor();
        }
    }

    /** The ring as one of them sees it. */
    RingView ring() throws IOException {
        return RingView.ask(HostPort.of(address(running.firstKey())), Cluster.open(), ASK_MILLIS);
    }

    /** Waits until all running peers know exactly their neighbours. */
    RingView awaitSettled() throws IOException, InterruptedException {
        long start = System.nanoTime();
        while (true) {
            RingView ring = ring();
            if (ring.isSettled() && ring.places().size() == running.size()) {
                return ring;
            }
            if (secondsSince(start) > PATIENCE_SECONDS) {
                throw new IllegalStateException("not " + running.size() + " settled peers: " + ring);
            }
            Thread.sleep(100);
        }
    }

    static double secondsSince(long startNanos) {
        return (System.nanoTime() - startNanos) / 1e9;
    }

    @Override
    public void close() {
        running.values().forEach(Process::destroyForcibly);
    }
}
