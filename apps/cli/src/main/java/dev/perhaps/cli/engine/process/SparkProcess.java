package dev.perhaps.cli.engine.process;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.engine.ActiveEngine;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.options.Output;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Runs a command on Spark: the same words are given to the same program once more, inside a process of Spark, where its long
 * steps become jobs. Here is only the wait: results and messages of that process pass through, its noise does not, and it ends
 * when this one does.
 */
public final class SparkProcess {
    /*
     * The driver has Spark's class path, then perhaps.jar and perhaps-spark.jar, which lie side by side in an installation.
     * It writes READY to standard error before anything else. What came before that is of the JVM and of Spark's scripts: it
     * is told only if the driver did not come up. Its standard input is a pipe from here: when that closes, we are gone,
     * however that happened, and the driver ends.
     */
    /** The first line that the driver writes. */
    public static final String READY = "\0perhaps\n";

    private static final String MAIN = "dev.perhaps.cli.spark.SparkMain";
    private static final String JAR = "perhaps-spark.jar";
    private static final String JVM_SETTING = "spark.driver.extraJavaOptions";
    /** An option that chooses a collector: the JVM refuses two of them. */
    private static final Pattern COLLECTOR = Pattern.compile("-XX:[+]Use[A-Za-z0-9]+GC");

    /** What the JVM writes after the reason. */
    private static final String NO_JVM = "Error: Could not create the Java Virtual Machine.";

    /** The newest Java on which Spark 4 is tested, by its project and here: what runs Spark is left out on newer ones. */
    public static final int MAX_JAVA = 21;

    private static final int OUT_OF_MEMORY = 52;
    private static final int SIGNALLED = 128;
    private static final int MAX_NOISE_BYTES = 1 << 16;

    /** What Spark needs of the JVM: org.apache.spark.launcher.JavaModuleOptions, but for a module that only MLlib uses. */
    static final List<String> JVM_OPTIONS = List.of(
            "-XX:+IgnoreUnrecognizedVMOptions",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
            "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--add-opens=java.base/java.net=ALL-UNNAMED",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED",
            "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
            "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
            "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.cs=ALL-UNNAMED",
            "--add-opens=java.base/sun.security.action=ALL-UNNAMED",
            "--add-opens=java.base/sun.util.calendar=ALL-UNNAMED",
            "--add-opens=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
            "-Djdk.reflect.useDirectMethodHandle=false",
            "-Dio.netty.tryReflectionSetAccessible=true");

    private final EngineOptions options;
    private final List<String> words;

    private SparkProcess(EngineOptions options, List<String> words) {
        this.options = options;
        this.words = words;
    }

    /** Runs a command on Spark if its options say so, and returns its exit code; null if it runs here. */
    public static @Nullable Integer run(CommandSpec command, List<String> words) throws IOException {
        if (ActiveEngine.get() != null) {
            return null;
        }
        EngineOptions options = EngineOptions.forSpark(command);
        return options == null ? null : new SparkProcess(options, words).run();
    }

    private int run() throws IOException {
        Path program = program();
        Path engine = program.resolveSibling(JAR);
        if (!Files.isReadable(engine)) {
            throw new BadInput("--engine spark needs " + JAR + " beside " + program
                    + ": install Perhaps again, or build it with 'mvn -Pspark package'");
        }
        Output log = options.log();
        if (log != null) {
            log.check();
        }
        Path submit = SparkHome.submit(System.getenv("SPARK_HOME"));
        Path jars = submit == null ? SparkHome.jars() : null;
        Path folder = Files.createTempDirectory("perhaps-spark");
        Leftovers leftovers = new Leftovers(folder);
        try {
            Files.createDirectory(folder.resolve("temporary"));
            Path logging = Files.writeString(folder.resolve("log4j2.properties"), logging(log));
            List<String> command = new ArrayList<>();
            List<String> jvm = jvmOptions(logging);
            if (submit != null) {
                command.add(submit.toString());
                command.addAll(List.of("--driver-memory", memory()));
                command.addAll(List.of("--driver-java-options", "\"" + String.join("\" \"", jvm) + "\""));
            } else {
                command.add(java().toString());
                command.addAll(JVM_OPTIONS);
                command.add("-Xmx" + memory());
                if (jvm.stream().noneMatch(option -> COLLECTOR.matcher(option).matches())) {
                    command.add("-XX:+UseParallelGC");
                }
                command.addAll(jvm);
                command.addAll(List.of("-cp", jars + File.separator + "*", "org.apache.spark.deploy.SparkSubmit"));
            }
            command.addAll(submitted(folder, program, engine));
            command.addAll(words);
            ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.INHERIT);
            if (isLocal()) {
                builder.environment().putIfAbsent("SPARK_LOCAL_IP", "127.0.0.1");
            }
            Process process = builder.start();
            leftovers.process(process);
            String noise = passOn(process.getErrorStream());
            int code = await(process);
            // After Ctrl-C the process was ended by us, which is nothing to tell.
            return leftovers.isEnding() ? code : ended(code, noise);
        } finally {
            leftovers.close();
        }
    }

    /** The jar that this program was started from. */
    private static Path program() {
        CodeSource source = SparkProcess.class.getProtectionDomain().getCodeSource();
        try {
            return Path.of(source.getLocation().toURI()).toAbsolutePath();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(source + " is not a file", e);
        }
    }

    private List<String> submitted(Path folder, Path program, Path engine) {
        List<String> arguments = new ArrayList<>(List.of("--master", options.master(), "--class", MAIN));
        List<String> settings = new ArrayList<>(List.of(
                "spark.app.name=perhaps " + words.get(0),
                "spark.ui.enabled=false",
                "spark.ui.showConsoleProgress=false",
                "spark.driver.maxResultSize=0",
                "spark.sql.warehouse.dir=" + folder.resolve("warehouse")));
        if (System.getenv("SPARK_LOCAL_DIRS") == null) {
            settings.add("spark.local.dir=" + folder.resolve("local"));
        }
        if (isLocal()) {
            // Nobody but this machine needs to reach it, whatever its name and its network are.
            settings.add("spark.driver.host=127.0.0.1");
            settings.add("spark.driver.bindAddress=127.0.0.1");
        }
        options.settings().stream()
                .filter(setting -> !setting.startsWith(JVM_SETTING + "="))
                .forEach(settings::add);
        // What tasks are given and return are records, which Kryo cannot write, and Kryo may be the default of an
        // installation.
        settings.add("spark.serializer=org.apache.spark.serializer.JavaSerializer");
        for (String setting : settings) {
            arguments.addAll(List.of("--conf", setting));
        }
        arguments.addAll(List.of("--jars", program.toString(), engine.toString()));
        return arguments;
    }

    private boolean isLocal() {
        return options.master().startsWith("local");
    }

    private List<String> jvmOptions(Path logging) {
        List<String> jvm = new ArrayList<>(List.of(
                // Why Java refuses an option would be on standard output, among the results.
                "-XX:+DisplayVMOutputToStderr",
                "-Dlog4j2.configurationFile=" + logging.toUri(),
                // Even what Spark would leave behind if it were killed is deleted with the folder.
                "-Djava.io.tmpdir=" + logging.resolveSibling("temporary")));
        for (String shown : List.of("perhaps.shown", "perhaps.watched")) {
            if (Boolean.getBoolean(shown)) {
                jvm.add("-D" + shown + "=true");
            }
        }
        // Only Spark's scripts read this setting, and what is given twice counts as it was given last.
        String given = options.setting(JVM_SETTING);
        if (given != null && !given.isBlank()) {
            jvm.addAll(List.of(given.strip().split("\\s+")));
        }
        return jvm;
    }

    /** Half of the machine, if the user does not say otherwise. */
    private String memory() {
        String asked = options.setting("spark.driver.memory");
        if (asked != null) {
            return asked;
        }
        long bytes =
                ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                        ? system.getTotalMemorySize()
                        : 0;
        return Math.max(1024, bytes / 2 >> 20) + "m";
    }

    private static Path java() {
        int version = Runtime.version().feature();
        String home = System.getProperty("java.home", "");
        if (ModuleFinder.ofSystem().find("java.se").isEmpty()) {
            throw new BadInput("the Java in this installation lacks modules that Spark needs: install Perhaps without a"
                    + " bundled Java, or set SPARK_HOME to an installation of Spark 4");
        }
        if (version > MAX_JAVA) {
            throw new BadInput("Spark " + SparkHome.VERSION + " does not run on Java " + version
                    + ": set JAVA_HOME to a Java from 17 to " + MAX_JAVA);
        }
        return Path.of(home, "bin", "java");
    }

    private static String logging(@Nullable Output log) {
        if (log == null) {
            // Without an appender Spark takes its own settings, which print everything.
            return """
                rootLogger.level = off
                rootLogger.appenderRef.none.ref = none
                appender.none.type = Null
                appender.none.name = none
                """;
        }
        return """
            rootLogger.level = info
            rootLogger.appenderRef.file.ref = file
            appender.file.type = File
            appender.file.name = file
            appender.file.fileName = %s
            appender.file.layout.type = PatternLayout
            appender.file.layout.pattern = %%d %%p %%c: %%m%%n%%ex
            """.formatted(log.path().toAbsolutePath());
    }

    /**
     * Passes on the output of the driver from its first line on; returns the output before it if that line is missing.
     */
    private static String passOn(InputStream errors) throws IOException {
        byte[] ready = READY.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream noise = new ByteArrayOutputStream();
        int matched = 0;
        while (matched < ready.length) {
            int b = errors.read();
            if (b < 0) {
                return noise.toString(StandardCharsets.UTF_8);
            }
            matched = b == ready[matched] ? matched + 1 : b == ready[0] ? 1 : 0;
            if (noise.size() < MAX_NOISE_BYTES) {
                noise.write(b);
            }
        }
        byte[] buffer = new byte[1 << 13];
        for (int count = errors.read(buffer); count >= 0; count = errors.read(buffer)) {
            System.err.write(buffer, 0, count);
            System.err.flush();
        }
        return "";
    }

    private int ended(int code, String noise) {
        if (!noise.isEmpty()) {
            Console.complain("Spark did not start: " + reason(noise));
            return ExitCodes.REFUSED;
        }
        if (code == OUT_OF_MEMORY) {
            Console.complain("Spark has not enough memory: it has " + memory()
                    + ", give it more with --spark-conf spark.driver.memory=8g");
            return ExitCodes.REFUSED;
        }
        if (code > SIGNALLED) {
            Console.complain(
                    "the process of Spark was ended by signal " + (code - SIGNALLED) + ": nothing was written");
            return ExitCodes.REFUSED;
        }
        return code;
    }

    /** The line that says most of what went wrong. */
    static String reason(String noise) {
        List<String> lines =
                noise.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
        int refused = lines.indexOf(NO_JVM);
        if (refused > 0) {
            return lines.get(refused - 1);
        }
        for (String line : lines) {
            if (line.contains("Exception") || line.contains("Error") || line.startsWith("error:")) {
                return line.replaceFirst("^Exception in thread \"[^\"]*\" ", "");
            }
        }
        return lines.isEmpty() ? "it did not say why" : lines.get(lines.size() - 1);
    }

    static int await(Process process) throws IOException {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
