package dev.perhaps.cli.launch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.perhaps.cli.launch.Programs.Result;
import dev.perhaps.cli.launch.Programs.Running;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What bin/dist packs, used as after an installation: by a user who may write only a home of their own, with an empty
 * environment, without git and Maven.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class DistributionPackagedIT {
    private static final String NOBODY = "65534";

    @TempDir
    static Path folder;

    private static Path packed;
    private static Path unpacked;

    /** All that the launcher needs of a machine: there is no Java, git or Maven among it. */
    private static Path tools;

    @BeforeAll
    static void pack() throws Exception {
        packed = folder.resolve("packed");
        Result result = new Programs(folder).run(Programs.CHECKOUT.resolve("bin/dist"), "--built", "--to", packed);
        assertThat(result.code()).as(result.err()).isZero();
        unpacked = unpack(archive("perhaps-[0-9.]+(-SNAPSHOT)?\\.tar\\.gz"), folder.resolve("root"));
        tools = Programs.links(
                folder.resolve("tools"), "sh", "env", "setpriv", "readlink", "locale", "ls", "cksum", "tr");
        assertThat(new Programs(folder).run("chmod", "a+rx", folder, tools).code())
                .isZero();
    }

    @AfterAll
    static void forgetTools() throws IOException {
        try (Stream<Path> links = Files.list(tools)) { // JUnit would warn of each
            for (Path link : links.toList()) {
                Files.delete(link);
            }
        }
    }

    private static Path unpack(Path archive, Path root) throws Exception {
        Files.createDirectory(root);
        Result result = new Programs(folder).run("tar", "-xzf", archive, "-C", root);
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(new Programs(folder).run("chmod", "a+rx", root).code()).isZero();
        try (Stream<Path> tops = Files.list(root)) {
            return tops.toList().get(0);
        }
    }

    private static Path archive(String name) throws IOException {
        try (Stream<Path> files = Files.list(packed)) {
            return files.filter(file -> file.getFileName().toString().matches(name))
                    .findFirst()
                    .orElseThrow();
        }
    }

    static List<Path> javas() throws IOException {
        return Programs.javas();
    }

    @ParameterizedTest
    @MethodSource("javas")
    void runsTheCommandsOfTheReadmeForAUserWhoMayWriteOnlyTheirHome(Path java) throws Exception {
        Programs.assumeInstalled(java);
        Path home = home();
        Programs user = user(home).with("JAVA_HOME", java);
        for (String program : List.of("java", "git", "mvn")) {
            assertThat(user.run("sh", "-c", "command -v " + program).code())
                    .as("%s is on the path", program)
                    .isNotZero();
        }
        int run = 0;
        for (String line : Files.readAllLines(Programs.CHECKOUT.resolve("README.md"))) {
            if (!line.startsWith("bin/perhaps ")) {
                continue;
            }
            String command = line.substring("bin/".length()).replaceAll(" +#.*", "");
            if (command.startsWith("perhaps peer") || command.startsWith("perhaps proxy")) {
                runUntilInterrupted(user, unpacked, command);
            } else {
                Result result = user.run(as(unpacked, command));
                assertThat(result.code()).as("%s: %s", command, result.err()).isLessThan(2);
                assertThat(result.out() + result.err()).as(command).doesNotContain("WARNING", "perhaps: ");
            }
            run++;
        }
        assertThat(run).as("commands of the README").isGreaterThan(5);
        assertThat(new Programs(folder).run("find", unpacked, "-newer", packed).out())
                .as("written into the installation")
                .isEmpty();
    }

    /** A home of their own, with the files that the README reads. */
    private static Path home() throws Exception {
        Path home = Files.createTempDirectory(folder, "home");
        samples(home);
        new Programs(folder).run("chown", "-R", NOBODY + ":" + NOBODY, home);
        new Programs(folder).run("chmod", "755", home);
        return home;
    }

    private static Programs user(Path home) {
        return new Programs(home)
                .without("JAVA_HOME")
                .with("HOME", home)
                .with("PATH", tools)
                .with("XDG_CACHE_HOME", "/dev/null");
    }

    @Test
    void theArchiveWithAJavaOfItsOwnNeedsNone() throws Exception {
        Path own = unpack(archive("perhaps-.*-(linux|darwin)-.*\\.tar\\.gz"), folder.resolve("own"));
        Programs user = user(home());
        assertThat(user.run(unpacked.resolve("bin/perhaps"), "--version").err())
                .as("the other archive")
                .contains("no Java was found");

        Result otherHome = user.with("JAVA_HOME", "/nowhere").run(as(own, "perhaps --version"));
        assertThat(otherHome.out()).as("whatever JAVA_HOME says").startsWith("perhaps ");

        // Between them they ask for every module: charts, SQLite, Netty, HTTP, elliptic curves.
        for (String command : List.of(
                "--version",
                "tour",
                "filter build words.txt -o words.filter",
                "lab run disk-dictionary --quick -o found",
                "lab run paradox --quick -o found")) {
            Result result = user.run(as(own, "perhaps " + command));
            assertThat(result.code()).as("%s: %s", command, result.err()).isZero();
            assertThat(result.err()).as(command).doesNotContain("WARNING", "perhaps: ");
        }
        for (String command : List.of(
                "serve --listen 127.0.0.1:0 --dir keys",
                "peer --listen 127.0.0.1:0 --dir p",
                "proxy --listen 127.0.0.1:0 --origin https://127.0.0.1:9")) {
            runUntilInterrupted(user, own, "perhaps " + command);
        }
    }

    @Test
    void commandsOfTheFirstPagesAreInTheArchiveOrSaidToBeInTheSources() throws Exception {
        List<String> missing = new ArrayList<>();
        int commands = 0;
        for (String page : List.of("README.md", "docs/install.md", "examples/README.md", "deploy/README.md")) {
            boolean areSources = false;
            for (String line : Files.readAllLines(unpacked.resolve(page))) {
                Matcher start =
                        Pattern.compile("^(?: {4})?(bin/[a-z-]+|mvn)(?= |$)").matcher(line);
                if (!start.find()) {
                    // A sentence about the sources holds for the commands below, up to the next heading.
                    areSources = line.contains("the sources") || areSources && !line.startsWith("#");
                    continue;
                }
                commands++;
                if (!areSources && !Files.isExecutable(unpacked.resolve(start.group(1)))) {
                    missing.add(page + ": " + line.strip());
                }
            }
        }
        assertThat(commands).isGreaterThan(10);
        assertThat(missing).isEmpty();
        assertThat(unpacked.resolve("CONTRIBUTING.md"))
                .content()
                .startsWith(
                        "# Working on Perhaps\n\nThis page is about the sources: of the commands below, an archive of `bin/dist`"
                                + " contains only `bin/perhaps`.\n");
    }

    @Test
    void theJarsHoldNothingOfTheMachineThatBuiltThem() throws Exception {
        List<String> traces = List.of(Programs.CHECKOUT.toString(), System.getProperty("user.home") + "/.m2");
        LocalDateTime date = LocalDateTime.of(2026, 1, 1, 0, 0);
        for (String name : List.of("perhaps.jar", "perhaps-spark.jar")) {
            Path file = unpacked.resolve("lib").resolve(name);
            if (!Files.exists(file)) {
                continue; // a build without -Pspark
            }
            try (JarFile jar = new JarFile(file.toFile())) {
                List<JarEntry> entries = Collections.list(jar.entries());
                assertThat(entries).hasSizeGreaterThan(20);
                for (JarEntry entry : entries) {
                    if (entry.getName().startsWith("dev/perhaps/")
                            || entry.getName().equals(JarFile.MANIFEST_NAME)) {
                        assertThat(entry.getTimeLocal())
                                .as("%s in %s", entry, name)
                                .isEqualTo(date);
                    }
                    String bytes = new String(jar.getInputStream(entry).readAllBytes(), ISO_8859_1);
                    assertThat(traces).as("%s in %s", entry, name).noneMatch(bytes::contains);
                }
            }
        }
    }

    @Test
    void linksBetweenThePagesInTheArchiveWork() throws Exception {
        Pattern link = Pattern.compile("\\]\\((?!https?:|mailto:|#)([^)#\\s]+)(#[^)]*)?\\)");
        List<String> broken = new ArrayList<>();
        int pages = 0;
        try (Stream<Path> files = Files.walk(unpacked)) {
            for (Path page :
                    files.filter(file -> file.toString().endsWith(".md")).toList()) {
                pages++;
                Matcher links = link.matcher(Files.readString(page));
                while (links.find()) {
                    if (!Files.exists(page.resolveSibling(links.group(1)))) {
                        broken.add(unpacked.relativize(page) + " -> " + links.group(1));
                    }
                }
            }
        }
        assertThat(pages).isGreaterThan(20);
        assertThat(broken).isEmpty();
    }

    private static void runUntilInterrupted(Programs user, Path installation, String command) throws Exception {
        Running running = user.start(as(installation, command.replaceAll("(--listen 127.0.0.1:)[0-9]+", "$10")));
        running.awaitPrinted("listening on");
        running.signal("-INT");
        Result result = running.finish();
        assertThat(result.code()).as("%s: %s", command, result.err()).isEqualTo(130);
        assertThat(result.err()).as(command).doesNotContain("WARNING");
    }

    /** The words of a command, as another user if this one may become another. */
    private static Object[] as(Path installation, String command) {
        List<Object> words = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            words.addAll(List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"));
        }
        words.addAll(List.of(command.split(" ", -1)));
        words.set(words.indexOf("perhaps"), installation.resolve("bin/perhaps"));
        return words.toArray();
    }

    /** What the commands of the README read. */
    private static void samples(Path home) throws IOException {
        Path data = Programs.CHECKOUT.resolve("docs/recipes/data");
        Files.writeString(home.resolve("words.txt"), "a\nfew\nwords\n");
        Files.writeString(home.resolve("essay.txt"), "a\nmisspelt\n");
        Files.writeString(home.resolve("access.log"), "1 2 3 4 5 6 /index.html\n1 2 3 4 5 6 /other\n");
        Files.writeString(home.resolve("sales.csv"), "product,price\ntea,3\ntea,3\nsoap,2\n");
        try (Stream<Path> files = Files.list(data)) {
            Path capture = files.filter(file -> file.toString().endsWith(".pcap"))
                    .findFirst()
                    .orElseThrow();
            Files.copy(capture, home.resolve("traffic.pcap"));
        }
        Files.writeString(home.resolve("crawl.jsonl"), "{\"text\":\"one page of some length\"}\n".repeat(2));
        Files.writeString(home.resolve("receipts.txt"), "tea milk\ntea milk\nsoap\n");
        Files.writeString(home.resolve("caches.txt"), "a\nb\nc\n");
    }

    @Test
    void packsTheSameBytesWhateverTheUserHasSet() throws Exception {
        Path again = folder.resolve("again/and in another folder");
        Programs other = new Programs(folder)
                .with("TZ", "Asia/Tokyo")
                .with("LANG", "C.UTF-8")
                .with("USER", "other");
        Result result = other.run(
                "sh",
                "-c",
                "umask 077; exec \"$@\"",
                "sh",
                Programs.CHECKOUT.resolve("bin/dist"),
                "--built",
                "--no-runtime",
                "--to",
                again);
        assertThat(result.code()).as(result.err()).isZero();

        // All but the archive with a Java of its own, which is not packed again.
        assertThat(Files.readAllLines(packed.resolve("SHA256SUMS")))
                .containsAll(Files.readAllLines(again.resolve("SHA256SUMS")));
        assertThat(Files.readAllLines(again.resolve("SHA256SUMS"))).hasSizeGreaterThan(1);
        Result sums = new Programs(packed).run("sha256sum", "-c", "SHA256SUMS");
        assertThat(sums.code()).as(sums.out()).isZero();
        assertThat(Files.readAllLines(packed.resolve("SHA256SUMS"))).hasSizeGreaterThan(1);
    }

    @Test
    void hasALicenceForEveryJarInside() throws Exception {
        List<String> known = Files.readAllLines(unpacked.resolve("licenses/README.txt"));
        for (String line : Files.readAllLines(Programs.CHECKOUT.resolve("checksums.sha256"))) {
            String jar = line.substring(66).replaceAll("-[0-9].*", "");
            assertThat(known).as("licence of %s", jar).anyMatch(entry -> {
                String name = entry.split(" ", 2)[0];
                return name.endsWith("*") ? jar.startsWith(name.substring(0, name.length() - 1)) : jar.equals(name);
            });
        }
        for (String entry : known) {
            for (String word : entry.split("[ ,;:]+", -1)) {
                if (word.endsWith(".txt")) {
                    assertThat(unpacked.resolve("licenses").resolve(word)).isNotEmptyFile();
                }
            }
        }
        assertThat(unpacked.resolve("LICENSE")).isNotEmptyFile();
        assertThat(unpacked.resolve("NOTICE")).isNotEmptyFile();
    }

    @Test
    void completesCommandsOptionsKindsFormatsExperimentsAndFiles() throws Exception {
        Path completions = unpacked.resolve("completions/perhaps.bash");
        Result syntax = new Programs(folder).run("bash", "-n", completions);
        assertThat(syntax.code()).as(syntax.err()).isZero();
        Path words = Files.createDirectories(folder.resolve("words"));
        Files.writeString(words.resolve("some-file.txt"), "");

        assertThat(completed(completions, "filter", "bu")).contains("build");
        assertThat(completed(completions, "filter", "build", "--ki")).contains("--kind");
        assertThat(completed(completions, "filter", "build", "--kind", "cuck")).contains("cuckoo");
        assertThat(completed(completions, "filter", "build", "--format", "js")).contains("jsonl:");
        assertThat(completed(completions, "dedup", "--format", "fi")).contains("files");
        assertThat(completed(completions, "lab", "run", "false")).contains("false-positives");
        // Nothing of its own, and then bash completes names of files: -o default.
        assertThat(completed(completions, "filter", "build", "some")).isBlank();
        assertThat(Files.readString(completions)).contains("-o default perhaps");
    }

    private static String completed(Path completions, String... words) throws Exception {
        String line = "perhaps " + String.join(" ", words);
        Result result = new Programs(folder)
                .run(
                        "bash",
                        "-c",
                        ". \"$0\"; COMP_WORDS=(" + line + "); COMP_CWORD=" + words.length + "; COMP_LINE=\"" + line
                                + "\"; COMP_POINT=${#COMP_LINE}; _complete_perhaps; echo \"${COMPREPLY[*]}\"",
                        completions);
        return result.out();
    }

    @Test
    void hasAManualPageForEveryCommandThatManAccepts() throws Exception {
        Result version = new Programs(folder).run("sh", "-c", "command -v man");
        assumeThat(version.code()).as("man is not installed").isZero();
        try (Stream<Path> pages = Files.list(unpacked.resolve("man/man1"))) {
            List<Path> all = pages.toList();
            assertThat(all).hasSizeGreaterThan(30);
            Path page = unpacked.resolve("man/man1/perhaps-filter-build.1");
            Result shown = new Programs(folder).with("LC_ALL", "C.UTF-8").run("man", "--warnings", "-l", page);
            assertThat(shown.err()).isEmpty();
            assertThat(shown.out()).contains("SYNOPSIS", "--kind", "perhaps filter build");
        }
    }

    @Test
    void hasADebianPackageThatInstallsTheSameFiles() throws Exception {
        assumeThat(new Programs(folder).run("sh", "-c", "command -v dpkg-deb").code())
                .as("dpkg-deb is not installed")
                .isZero();
        Path root = folder.resolve("debian");
        Path deb = archive("perhaps_.*\\.deb");
        Result result = new Programs(folder).run("dpkg-deb", "-x", deb, root);
        assertThat(result.code()).as(result.err()).isZero();

        Path share = root.resolve("usr/share");
        assertThat(share.resolve("bash-completion/completions/perhaps"))
                .hasSameBinaryContentAs(unpacked.resolve("completions/perhaps.bash"));
        assertThat(share.resolve("zsh/vendor-completions/_perhaps"))
                .hasSameBinaryContentAs(unpacked.resolve("completions/_perhaps"));
        try (Stream<Path> pages = Files.list(unpacked.resolve("man/man1"))) {
            for (Path page : pages.toList()) {
                Path zipped = share.resolve("man/man1").resolve(page.getFileName() + ".gz");
                try (InputStream in = new GZIPInputStream(Files.newInputStream(zipped))) {
                    assertThat(in).as("%s", page).hasBinaryContent(Files.readAllBytes(page));
                }
            }
        }
        assertThat(share.resolve("doc/perhaps/copyright"))
                .content()
                .contains(Files.readString(unpacked.resolve("LICENSE")))
                .contains(Files.readString(unpacked.resolve("NOTICE")))
                .contains(Files.readString(unpacked.resolve("licenses/README.txt")));
        assertThat(share.resolve("doc/perhaps/docs/install.md")).exists();

        Result control = new Programs(folder).run("dpkg-deb", "-f", deb, "Depends", "Description");
        assertThat(control.out())
                .contains(
                        "default-jre-headless", "java17-runtime-headless", "Spark", "Redis", "ring of peers", "proxy");
        Result files = new Programs(folder).run("dpkg-deb", "-c", deb);
        assertThat(files.out().lines()).hasSizeGreaterThan(100).allMatch(line -> line.contains(" root/root "));

        Result started = new Programs(folder)
                .with("XDG_CACHE_HOME", "/dev/null")
                .run(root.resolve("usr/bin/perhaps"), "--version");
        assertThat(started.err()).isEmpty();
        assertThat(started.out()).startsWith("perhaps ");
        assertThat(root.resolve("usr/share/perhaps/lib/perhaps.jar"))
                .hasSameBinaryContentAs(unpacked.resolve("lib/perhaps.jar"));
    }
}
