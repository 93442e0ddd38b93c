package dev.perhaps.bench.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Runs redis-benchmark with 50 clients on its own core. */
final class RedisBenchmark {
    private static final String CORE = "0";
    private static final int CLIENTS = 50;
    private static final int KEYS = 100_000;

    /**
     * What one run has measured.
     *
     * @param rate commands per second, as the client says
     * @param p99Millis the latency that 99 % of the commands stay below, as the client says
     * @param clientShare CPU time of the client over time on the wall
     * @param serverMicros CPU time of the server per command
     */
    record Run(double rate, double p99Millis, double clientShare, double serverMicros) {}

    private RedisBenchmark() {}

    static Run run(ServerProcess server, int pipeline, int requests, List<String> command)
            throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("taskset", "-c", CORE, "redis-benchmark"));
        words.addAll(List.of("-p", "" + server.port(), "-c", "" + CLIENTS, "-P", "" + pipeline));
        words.addAll(List.of("-n", "" + requests, "-r", "" + KEYS, "--csv"));
        words.addAll(command);
        double serverBefore = server.cpuSeconds();
        double clientBefore = ServerProcess.childrenCpuSeconds();
        long start = System.nanoTime();
        Process process = new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        double seconds = (System.nanoTime() - start) / 1e9;
        double client = ServerProcess.childrenCpuSeconds() - clientBefore;
        double serverSeconds = server.cpuSeconds() - serverBefore;
        return parse(code, said, client / seconds, serverSeconds * 1e6 / requests);
    }

    /** The last line has "test","rps","avg","min","p50","p95","p99","max". */
    static Run parse(int code, String said, double clientShare, double serverMicros) throws IOException {
        String[] lines = said.strip().split("\n", -1);
        String[] fields = lines[lines.length - 1].split("\",\"", -1);
        if (code != 0 || fields.length != 8) {
            throw new IOException("redis-benchmark ended with " + code + ": " + said.strip());
        }
        return new Run(Double.parseDouble(fields[1]), Double.parseDouble(fields[6]), clientShare, serverMicros);
    }
}
