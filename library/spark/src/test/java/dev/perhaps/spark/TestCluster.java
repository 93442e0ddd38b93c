package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.spark.TestProcesses.Started;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A standalone cluster of Spark on loopback: a master, workers and drivers, each a process. Closing it ends them all. */
final class TestCluster implements AutoCloseable {
    private final Path folder;
    private final TestProcesses processes;
    private final String url;
    private final Started master;

    TestCluster(Path folder) throws IOException {
        this.folder = folder;
        this.processes = new TestProcesses(folder);
        Path jars = Files.createDirectories(folder.resolve("home").resolve("jars"));
        for (String entry : TestProcesses.classPath()) {
            if (entry.endsWith(".jar")) {
                Files.createSymbolicLink(jars.resolve(Path.of(entry).getFileName()), Path.of(entry));
            }
        }
        this.master = processes.start(
                "-Xmx256m",
                List.of(
                        "org.apache.spark.deploy.master.Master",
                        "--host",
                        "127.0.0.1",
                        "--port",
                        "0",
                        "--webui-port",
                        "0"));
        Matcher started = Pattern.compile("(spark://127\\.0\\.0\\.1:\\d+)")
                .matcher(master.awaitLine("Starting Spark master at "));
        assertThat(started.find()).isTrue();
        this.url = started.group(1);
    }

    /** Starts a worker with one core, and waits until the master knows it. */
    Started startWorker() throws IOException {
        Started worker = processes.start(
                "-Xmx256m",
                List.of(
                        "org.apache.spark.deploy.worker.Worker",
                        "--host",
                        "127.0.0.1",
                        "--port",
                        "0",
                        "--webui-port",
                        "0",
                        "--cores",
                        "1",
                        "--memory",
                        "1g",
                        "--work-dir",
                        folder.resolve("work" + processes.count()).toString(),
                        url));
        assertThat(master.awaitLine("Registering worker ")).contains("1 cores");
        return worker;
    }

    /** Starts a program whose session is this cluster's; it has the class path of the test, and so have its executors. */
    Started startDriver(Class<?> program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        for (Map.Entry<String, String> setting : Map.of(
                        "spark.master", url,
                        "spark.executor.memory", "512m",
                        "spark.executor.extraClassPath", System.getProperty("java.class.path"),
                        "spark.ui.enabled", "false",
                        "spark.driver.host", "127.0.0.1",
                        "spark.driver.bindAddress", "127.0.0.1",
                        "spark.sql.shuffle.partitions", "3",
                        "spark.scheduler.minRegisteredResourcesRatio", "1.0",
                        "spark.scheduler.maxRegisteredResourcesWaitingTime", "120s",
                        "spark.sql.warehouse.dir", folder.resolve("warehouse").toString())
                .entrySet()) {
            command.add("-D" + setting.getKey() + "=" + setting.getValue());
        }
        command.add("-Dspark.executor.extraJavaOptions=" + String.join(" ", TestProcesses.SHORT_LIVED));
        command.add(program.getName());
        command.addAll(List.of(arguments));
        return processes.start("-Xmx1g", command);
    }

    @Override
    public void close() {
        processes.close();
    }
}
