package dev.perhaps.cli.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.launch.Programs.Result;
import dev.perhaps.cli.launch.Programs.Running;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The launcher of an installation, and the one of the sources, which builds first: neither ever hangs. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class LauncherPackagedIT {
    @TempDir
    Path folder;

    private Programs programs;
    private Path perhaps;

    @BeforeEach
    void install() throws IOException {
        // No cache, so that not every test makes an archive in the background.
        programs = new Programs(folder).with("XDG_CACHE_HOME", "/dev/null");
        perhaps = Programs.install(folder.resolve("installed"));
    }

    static List<Path> javas() throws IOException {
        return Programs.javas();
    }

    // The flags: what Java would have been started with.

    @ParameterizedTest
    @CsvSource({
        "plan, -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MaxRAMPercentage=80",
        "filter info, -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MaxRAMPercentage=80",
        "filter build, -XX:+UseParallelGC -XX:MaxRAMPercentage=80",
        "distinct x, -XX:+UseParallelGC -XX:MaxRAMPercentage=80",
        "top x, -XX:+UseParallelGC -XX:MaxNewSize=64m -XX:GCTimeRatio=9 -XX:MaxRAMPercentage=80",
        "lab run, -XX:+UseParallelGC -XX:MaxRAMPercentage=80 -Djava.awt.headless=true",
        "lab list, -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MaxRAMPercentage=80",
        "peer --x, -XX:+UseSerialGC -Xmx512m -XX:+ExitOnOutOfMemoryError",
    })
    void startsJavaWithTheFlagsOfTheCommandsKindOfWork(String command, String flags) throws Exception {
        assertThat(flagsOf(command.split(" ", -1))).startsWith(flags + " -cp");
    }

    @ParameterizedTest
    @CsvSource({
        "'', 898, 448", // 256M, the default, and one more because a megabyte begun is a megabyte
        "--cache 100M, 586, 409",
        "--cache=2G, 4480, 896",
        "--cache 1.5g, 4480, 896",
        "--cache 300k, 386, 384",
        "--cache 1073741824, 2434, 640",
        "--cache 010M, 406, 386",
        "--cache nonsense, 386, 384",
    })
    void sizesTheHeapOfTheProxyFromItsCache(String options, int heap, int direct) throws Exception {
        String flags = flagsOf(("proxy --listen x " + options).strip().split(" ", -1));

        assertThat(flags).contains("-Xmx" + heap + "m -XX:MaxDirectMemorySize=" + direct + "m ");
    }

    private String flagsOf(String... command) throws Exception {
        Path fake = folder.resolve("java-that-prints");
        if (!Files.exists(fake)) {
            Programs.script(fake.resolve("bin/java"), "echo \"$@\"\n");
        }
        Object[] words = Stream.concat(Stream.of(perhaps), Stream.of(command)).toArray();
        Result result = programs.with("JAVA_HOME", fake).run(words);
        assertThat(result.err()).isEmpty();
        return result.out();
    }

    // Java.

    @ParameterizedTest
    @MethodSource("javas")
    void startsOnEveryJavaWithoutAWarning(Path java) throws Exception {
        Programs.assumeInstalled(java);
        Programs on = programs.with("JAVA_HOME", java);
        Files.writeString(folder.resolve("in.txt"), "a\nb\n");
        for (String command : List.of(
                "--version",
                "filter build in.txt -o f",
                "filter check f in.txt",
                "count build in.txt -o c",
                "distinct in.txt",
                "top in.txt",
                "dedup in.txt --report",
                "similar build in.txt -o s",
                "baskets in.txt --threshold 0.5",
                "plan --items 1e6",
                "lab run disk-dictionary --quick -o found")) {
            Object[] words = Stream.concat(Stream.of(perhaps), Stream.of(command.split(" ", -1)))
                    .toArray();
            Result result = on.run(words);
            assertThat(result.err())
                    .as(command)
                    .doesNotContainIgnoringCase("warning")
                    .doesNotContain("perhaps:");
            assertThat(result.code()).as("%s: %s", command, result.err()).isLessThan(2);
        }
    }

    @ParameterizedTest
    @MethodSource("javas")
    void runsAServiceWithoutAWarningUntilItIsStopped(Path java) throws Exception {
        Programs.assumeInstalled(java);
        Programs on = programs.with("JAVA_HOME", java);
        Running proxy = on.start(perhaps, "proxy", "--listen", "127.0.0.1:0", "--origin", "http://127.0.0.1:9");
        proxy.awaitPrinted("listening on");
        proxy.signal("-INT");
        Result stopped = proxy.finish();

        assertThat(stopped.code()).isEqualTo(130);
        assertThat(stopped.err()).doesNotContainIgnoringCase("warning");
    }

    @Test
    void topKeepsKeysThatNeedALargeHeap() throws Exception {
        byte[] line = new byte[1 << 20];
        Arrays.fill(line, (byte) 'x');
        line[line.length - 1] = '\n';
        try (OutputStream out = Files.newOutputStream(folder.resolve("long.txt"))) {
            for (int i = 0; i < 300; i++) {
                out.write(Integer.toString(i).getBytes(UTF_8));
                out.write(line);
            }
        }
        Result result = programs.run(perhaps, "top", "long.txt", "-k", "1");
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.err()).startsWith("of 300 in total; every key was counted");
    }

    @Test
    void namesAJavaHomeInWhichThereIsNoJava() throws Exception {
        Result result = programs.with("JAVA_HOME", "/nowhere").run(perhaps, "--version");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err())
                .isEqualTo("perhaps: JAVA_HOME is '/nowhere', and there is no bin/java in it: set it to a Java of 17 or"
                        + " newer, or unset it\n");
    }

    @Test
    void saysThatAJavaIsTooOldBeforeItIsStarted() throws Exception {
        Path old = folder.resolve("old");
        Programs.script(old.resolve("bin/java"), "exit 99\n");
        Files.writeString(old.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"11.0.2\"\n");
        Result result = programs.with("JAVA_HOME", old).run(perhaps, "--version");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err())
                .endsWith("is too old: it is version 11, and 17 or newer is needed; set JAVA_HOME to one\n");
    }

    @ParameterizedTest
    @MethodSource("javas")
    void readsFilesWithAnyNameWithoutALocale(Path java) throws Exception {
        Programs.assumeInstalled(java);
        Path list = Files.writeString(folder.resolve("names"), "x\n");
        assertThat(programs.run("sh", "-c", "cp names 'n\u00e4me \u6f22.txt'").code())
                .isZero();
        assertThat(list).exists();
        for (String locale : List.of("C", "POSIX", "", "xx_YY.UTF-8")) {
            Result result = programs.with("JAVA_HOME", java)
                    .with("LC_ALL", locale)
                    .run("sh", "-c", perhaps + " distinct n*.txt");
            assertThat(result.err()).isEmpty();
            assertThat(result.code()).isZero();
        }
    }

    // The installation.

    @Test
    void startsThroughLinksFromAnInstallationThatNobodyMayWrite() throws Exception {
        Path links = Files.createDirectory(folder.resolve("links"));
        Files.createSymbolicLink(links.resolve("absolute"), perhaps);
        Files.createSymbolicLink(links.resolve("relative"), Path.of("../links/absolute"));
        programs.run("chmod", "-R", "a-w", folder.resolve("installed"));
        programs.run("chmod", "a+rx", folder);

        Result result = programs.with("XDG_CACHE_HOME", folder.resolve("home"))
                .run(asNobody(links.resolve("relative"), "plan", "--items", "1e6"));
        programs.run("chmod", "-R", "u+w", folder.resolve("installed"));

        assertThat(result.err()).isEmpty();
        assertThat(result.code()).isZero();
        assertThat(result.out()).contains("bloom");
        try (Stream<Path> lib = Files.list(folder.resolve("installed/lib"))) {
            assertThat(lib).hasSize(2);
        }
    }

    /** Root may write everything: another user is what a read-only installation is. */
    private static Object[] asNobody(Object... words) {
        boolean root = System.getProperty("user.name").equals("root");
        Stream<Object> first =
                root ? Stream.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") : Stream.empty();
        return Stream.concat(first, Stream.of(words)).toArray();
    }

    @Test
    void namesWhatIsMissingInAnInstallation() throws Exception {
        Files.delete(folder.resolve("installed/lib/perhaps.launch"));
        Result result = programs.run(perhaps, "--version");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).contains("is not complete");
    }

    @ParameterizedTest
    @MethodSource("javas")
    void makesAnArchiveOfClassesInTheUsersCacheAndStartsFromIt(Path java) throws Exception {
        Programs.assumeInstalled(java);
        Path cache = folder.resolve("cache/perhaps");
        Programs on = programs.with("XDG_CACHE_HOME", folder.resolve("cache")).with("JAVA_HOME", java);
        assertThat(on.run(perhaps, "--version").code()).isZero();
        Path archive = await(cache, ".jsa");
        assertThat(Files.size(archive)).isGreaterThan(1_000_000);

        Path loaded = folder.resolve("loaded");
        Result again = on.with("PERHAPS_JAVA_OPTIONS", "-Xlog:class+load:file=" + loaded)
                .run(perhaps, "--version");

        assertThat(again.err()).isEmpty();
        assertThat(again.out()).startsWith("perhaps ");
        assertThat(Files.readString(loaded)).containsPattern("dev.perhaps.cli.Main source: shared objects file");
        try (Stream<Path> left = Files.list(cache)) {
            assertThat(left).containsExactly(archive);
        }
    }

    private static Path await(Path in, String end) throws Exception {
        for (long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
                System.nanoTime() < until;
                Thread.sleep(50)) {
            if (Files.isDirectory(in)) {
                try (Stream<Path> files = Files.list(in)) {
                    List<Path> found = files.filter(file -> !file.toString().contains("checkout"))
                            .toList();
                    if (found.size() == 1 && found.get(0).toString().endsWith(end)) {
                        return found.get(0);
                    }
                }
            }
        }
        throw new IllegalStateException("no " + end + " in " + in);
    }

    @Test
    void startsAsWellWhereNoCacheCanBeMadeOrTheArchiveIsDamaged() throws Exception {
        Path cache = Files.createDirectories(folder.resolve("cache"));
        Programs cached = programs.with("XDG_CACHE_HOME", cache);
        for (Programs without : List.of(
                programs.with("XDG_CACHE_HOME", "/proc/nothing"),
                programs.without("XDG_CACHE_HOME").without("HOME"),
                programs.with("XDG_CACHE_HOME", "relative"))) {
            Result result = without.run(perhaps, "--version");
            assertThat(result.err()).isEmpty();
            assertThat(result.code()).isZero();
        }
        assertThat(folder.resolve("relative")).doesNotExist();

        assertThat(cached.run(perhaps, "--version").code()).isZero();
        Path archive = await(cache.resolve("perhaps"), ".jsa");
        assertThat(archive.toFile().setWritable(true)).isTrue();
        Files.writeString(archive, "not an archive");
        Result result = cached.run(perhaps, "--version");
        assertThat(result.err()).isEmpty();
        assertThat(result.code()).isZero();
    }

    // The launcher of the sources. Its Maven takes no time: it puts there what the real one has built.

    private Path checkout() throws IOException {
        Path sources = folder.resolve("checkout");
        Path launcher = Programs.copy(Programs.CHECKOUT.resolve("bin/perhaps"), sources.resolve("bin/perhaps"));
        Programs.copy(
                Programs.CHECKOUT.resolve("apps/cli/src/dist/perhaps"), sources.resolve("apps/cli/src/dist/perhaps"));
        Files.writeString(sources.resolve("pom.xml"), "");
        Files.createDirectories(sources.resolve("library/core/src/main"));
        Programs.script(folder.resolve("tools/mvn"), """
                echo "[INFO] Building Perhaps: everything 1.0 [1/1]"
                for word; do case $word in -DbuildDirectory=*) to=${word#*=}; to=${to%%/*}/perhaps-cli ;; esac; done
                echo built >>'%s'
                [ ! -e '%s' ] || exec sleep 600
                mkdir -p "$to/install/lib"
                cp '%s' "$to/install/lib/"
                cp '%s' "$to/perhaps.jar"
                """.formatted(
                        folder.resolve("builds"),
                        folder.resolve("slow"),
                        Programs.INSTALL.resolve("lib/perhaps.launch"),
                        Programs.JAR));
        programs = programs.with("PATH", folder.resolve("tools") + ":/usr/local/bin:/usr/bin:/bin");
        return launcher;
    }

    private int builds() throws IOException {
        return Files.exists(folder.resolve("builds"))
                ? Files.readAllLines(folder.resolve("builds")).size()
                : 0;
    }

    @Test
    void buildsOnFirstUseAndWhenASourceIsNewer() throws Exception {
        Path launcher = checkout();
        Result first = programs.run(launcher, "--version");
        assertThat(first.code()).as(first.err()).isZero();
        assertThat(first.err()).contains("perhaps: building it first");
        assertThat(programs.run(launcher, "--version").err()).isEmpty();
        assertThat(builds()).isEqualTo(1);

        Path source = Files.writeString(folder.resolve("checkout/library/core/src/main/New.java"), "");
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(5)));
        assertThat(programs.run(launcher, "--version").code()).isZero();
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void buildsOnceWhenTwoStartAtOnce() throws Exception {
        Path launcher = checkout();
        Running one = programs.start(launcher, "--version");
        Running other = programs.start(launcher, "--version");

        assertThat(one.finish().code()).isZero();
        assertThat(other.finish().code()).isZero();
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void takesOverALockWhoseOwnerIsDead() throws Exception {
        Path launcher = checkout();
        Process dead = new ProcessBuilder("true").start();
        dead.waitFor();
        String host = programs.run("uname", "-n").out();
        Path lock = Files.createDirectories(folder.resolve("checkout/.perhaps/lock"));
        Files.writeString(lock.resolve("owner"), dead.pid() + " " + host);

        assertThat(programs.run(launcher, "--version").code()).isZero();
        assertThat(lock).doesNotExist();
    }

    @Test
    void takesOverALockWithoutAnOwnerThatNobodyTouches() throws Exception {
        Path launcher = checkout();
        Path lock = Files.createDirectories(folder.resolve("checkout/.perhaps/lock"));
        Files.setLastModifiedTime(lock, FileTime.from(Instant.now().minusSeconds(300)));

        assertThat(programs.run(launcher, "--version").code()).isZero();
        assertThat(lock).doesNotExist();
    }

    @Test
    void endsOnInterruptWhileItBuildsAndLeavesNoLock() throws Exception {
        Path launcher = checkout();
        Files.writeString(folder.resolve("slow"), "");
        Running running = programs.start(launcher, "--version");
        running.awaitPrinted("building 1/1");
        running.signal("-INT");

        assertThat(running.finish().code()).isEqualTo(130);
        assertThat(folder.resolve("checkout/.perhaps/lock")).doesNotExist();
        Files.delete(folder.resolve("slow"));
        assertThat(programs.run(launcher, "--version").code()).isZero();
    }

    @Test
    void buildsInTheUsersCacheWhereTheSourcesCannotBeWritten() throws Exception {
        Path launcher = checkout();
        Path cache = Files.createDirectories(folder.resolve("cache"));
        programs.run("chmod", "-R", "a-w", folder.resolve("checkout"));
        programs.run("chmod", "a+rwx", folder, cache);
        Result result = programs.with("XDG_CACHE_HOME", cache).run(asNobody(launcher, "--version"));
        await(cache.resolve("perhaps"), ".jsa");
        Result nowhere = programs.run(asNobody(launcher, "--version"));
        programs.run("chmod", "-R", "u+w", folder.resolve("checkout"));

        assertThat(result.code()).as(result.err()).isZero();
        assertThat(folder.resolve("checkout/.perhaps")).doesNotExist();
        assertThat(nowhere.code()).isEqualTo(2);
        assertThat(nowhere.err()).contains("can be written");
    }
}
