package dev.perhaps.cli.input;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.Main;
import dev.perhaps.cli.Refusals;
import dev.perhaps.cli.Shell;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Every argument of every command that names a text refuses what is not text, and says how to make text of it. */
class NotTextIT {
    /** For each argument that names a text, commands in which {@code @} is it. */
    private static final Map<String, List<String>> READ_AS_TEXT = Map.ofEntries(
            Map.entry("filter build INPUT", List.of("filter build @ -o new")),
            Map.entry("filter add INPUT", List.of("filter add a.filter @")),
            Map.entry("filter remove INPUT", List.of("filter remove a.filter @")),
            Map.entry("filter check INPUT", List.of("filter check a.filter @", "filter check a.filter @ --count")),
            Map.entry("count build INPUT", List.of("count build @ -o new", "count build --ranges @ -o new")),
            Map.entry("count add INPUT", List.of("count add a.count @")),
            Map.entry("count query INPUT", List.of("count query a.count @")),
            Map.entry("top INPUT", List.of("top @", "top --format csv:key --by amount @")),
            Map.entry("distinct INPUT", List.of("distinct @")),
            Map.entry("flows CAPTURE", List.of("flows @")),
            Map.entry("similarity A", List.of("similarity @ a.txt")),
            Map.entry("similarity B", List.of("similarity a.txt @")),
            Map.entry(
                    "dedup INPUT",
                    List.of(
                            "dedup @",
                            "dedup --format jsonl:text @",
                            "dedup --format files a.txt @",
                            "dedup --format files @.d")),
            Map.entry(
                    "similar build INPUT", List.of("similar build @ -o new", "similar build --format files @ -o new")),
            Map.entry("similar add INPUT", List.of("similar add a.index @", "similar add --format files a.index @")),
            Map.entry("similar query INPUT", List.of("similar query a.index @")),
            Map.entry("similar remove --names", List.of("similar remove a.index --names @")),
            Map.entry("baskets INPUT", List.of("baskets --threshold 0.5 @")),
            Map.entry("place --nodes", List.of("place --nodes @ key")),
            Map.entry("place --then", List.of("place --nodes a.txt --then @ key")),
            Map.entry("place --input", List.of("place --nodes a.txt --input @")));

    /** Positional arguments that name no text: words, and the file of bytes that 'put' puts on a ring. */
    private static final Set<String> OTHER_LABELS = Set.of("COMMAND", "FROM", "TO", "ID", "KEY", "NAME", "FILE");

    /** Options that name no text: words, folders, and secrets, certificates and who is revoked, which have readers of their own. */
    private static final Set<String> OTHER_OPTIONS = Set.of(
            ("--access-log --admin --advertise --at --by --cache --client-memory --cluster --counters --delimiter"
                            + " --digest-interval --dir --flows --forget --format --fsync --growing-to --id --idle-timeout --items"
                            + " --join --key --kind --largest --last --listen --master --max-input-memory --max-key-memory"
                            + " --max-memory --max-output-memory --memory --name --origin --output --page --prefix --quota"
                            + " --repair-rate --request-limit --require-pass --revoked --ring --ring-ca --scrub-every --scrub-rate"
                            + " --secret-file --separator --sibling --sibling-ca --sibling-timeout --spark-conf --stale-if-error"
                            + " --temp --threshold --time --timeout --tls-ca --tls-cert --tls-client-ca --tls-key --top --via"
                            + " --window -k")
                    .split(" "));

    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws Exception {
        shell = new Shell(folder);
        shell.write("a.txt", "Lisbon", "Oslo");
        List<List<String>> made = List.of(
                words("filter build a.txt --kind counting --items 100 -o a.filter"),
                words("count build a.txt -o a.count"),
                words("similar build a.txt -o a.index"));
        assertThat(shell.all(made)).allMatch(result -> result.code() == 0);
        Files.write(folder.resolve("it.xz"), "\u00FD7zXZ\0\0\u0004abc".getBytes(ISO_8859_1));
        Files.write(folder.resolve("it.bz2"), "BZh91AY&SYabc".getBytes(ISO_8859_1));
        Files.write(folder.resolve("it.utf16"), "Lisbon\nOslo\n".getBytes(UTF_16LE));
        byte[] tar = new byte[1024];
        System.arraycopy("ustar\00000".getBytes(ISO_8859_1), 0, tar, 257, 8);
        Files.write(folder.resolve("it.tar"), tar);
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(folder.resolve("it.tgz")))) {
            out.write(tar);
        }
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(folder.resolve("it.zip")))) {
            out.putNextEntry(new ZipEntry("a.txt"));
            out.write("Lisbon\n".getBytes(UTF_8));
        }
    }

    private static List<String> words(String command) {
        return Arrays.asList(command.split(" "));
    }

    private static void collect(CommandLine command, String name, Set<String> arguments) {
        for (ArgSpec argument : command.getCommandSpec().args()) {
            String own = argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
            if (isWord(argument) && !(argument.isOption() ? OTHER_OPTIONS : OTHER_LABELS).contains(own)) {
                arguments.add(name + " " + own);
            }
        }
        command.getSubcommands().forEach((word, inner) -> collect(inner, (name + " " + word).strip(), arguments));
    }

    /** Sketches and outputs have types of their own. */
    private static boolean isWord(ArgSpec argument) {
        Class<?> type = argument.typeInfo().isMultiValue() ? argument.auxiliaryTypes()[0] : argument.type();
        return type == String.class || type == Path.class;
    }

    @Test
    void everyArgumentThatNamesATextIsListed() {
        Set<String> arguments = new TreeSet<>();
        collect(Main.commands(), "", arguments);
        assertThat(READ_AS_TEXT.keySet()).containsExactlyInAnyOrderElementsOf(arguments);
    }

    @Test
    void everyArgumentThatNamesATextRefusesWhatIsNone() throws Exception {
        Map<String, String> remedies = Map.of(
                "it.xz", "xzcat it.xz",
                "it.bz2", "bzcat it.bz2",
                "it.utf16", "iconv -f UTF-16LE -t UTF-8 it.utf16",
                "it.tar", "tar -xOf it.tar",
                "it.tgz", "tar -xOf it.tgz",
                "it.zip", "unzip -p it.zip",
                "a.filter", "this is a Perhaps file, not text");
        for (String file : remedies.keySet()) {
            Files.copy(
                    folder.resolve(file),
                    Files.createDirectory(folder.resolve(file + ".d")).resolve("inside"));
        }
        Refusals refusals = new Refusals(shell);
        remedies.forEach((file, remedy) -> READ_AS_TEXT
                .values()
                .forEach(commands -> commands.stream()
                        .map(command -> command.replace("@", file))
                        .filter(command ->
                                command.indexOf(file) == command.lastIndexOf(file)) // edited is refused before
                        .forEach(command -> refusals.of(
                                command, command.endsWith(".d") ? remedy.replace(file, file + ".d/inside") : remedy))));
        refusals.hold();
    }

    @Test
    void filesThatAreNoTextAreSkippedOnRequest() throws Exception {
        Path docs = Files.createDirectory(folder.resolve("docs"));
        Files.move(folder.resolve("it.xz"), docs.resolve("it.xz"));
        Files.writeString(docs.resolve("a.txt"), "It was the best of times, it was the worst of times");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(docs.resolve("b.gz")))) {
            out.write(Files.readAllBytes(docs.resolve("a.txt")));
        }
        Shell.Result result = shell.perhaps("dedup", "--format", "files", "--skip-bad", "docs");
        assertThat(result.out()).isEqualTo("docs/a.txt\n"); // b.gz holds the same text
        assertThat(result.err())
                .contains("skipped: docs/it.xz: it is compressed with xz")
                .contains("1 record was skipped");
        assertThat(result.code()).isZero();
    }
}
