package dev.perhaps.cli.options;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.Main;
import dev.perhaps.cli.Refusals;
import dev.perhaps.cli.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** No command writes over its input, or writes two outputs to one file; not by any name that the file has. */
class FileConflictsIT {
    private static final String REPLACED = "would be replaced";

    /** For each command with an output, one that names its input as the output. */
    private static final Map<String, List<String>> OVER_THEIR_INPUT = Map.ofEntries(
            Map.entry("filter build", List.of("filter build data.txt -o data.txt --force")),
            Map.entry("filter add", List.of("filter add a.filter data.txt -o data.txt --force")),
            Map.entry("filter remove", List.of("filter remove a.filter data.txt -o data.txt --force")),
            Map.entry("filter merge", List.of("filter merge a.filter b.filter -o b.filter")),
            Map.entry("filter intersect", List.of("filter intersect a.filter b.filter -o a.filter")),
            Map.entry("filter grow", List.of()), // its only input is what it is made to change
            Map.entry("count build", List.of("count build data.txt -o data.txt --force")),
            Map.entry("count add", List.of("count add a.count data.txt -o data.txt --force")),
            Map.entry("count merge", List.of("count merge a.count b.count -o b.count")),
            Map.entry(
                    "distinct",
                    List.of(
                            "distinct data.txt -o data.txt --force",
                            "distinct data.txt --with a.distinct -o a.distinct --force")),
            Map.entry(
                    "dedup",
                    List.of(
                            "dedup data.txt --clusters data.txt",
                            "dedup data.txt --pairs data.txt",
                            "dedup data.txt --against a.index -o a.index",
                            "dedup docs --format files -o docs/one.txt",
                            "dedup docs/one.txt docs/two.txt --format files -o docs/one.txt")),
            Map.entry(
                    "similar build",
                    List.of(
                            "similar build data.txt -o data.txt --force",
                            "similar build --format files docs -o docs/one.txt --force")),
            Map.entry("similar add", List.of("similar add a.index data.txt -o data.txt --force")),
            Map.entry("similar remove", List.of("similar remove a.index --names data.txt -o data.txt --force")),
            Map.entry("top", List.of("top data.txt --engine spark --spark-log data.txt")),
            Map.entry("baskets", List.of("baskets --threshold 0.5 data.txt -o data.txt")),
            Map.entry("ring", List.of("ring --via 127.0.0.1:1 --secret-file data.txt --svg data.txt")),
            Map.entry("get", List.of("get --via 127.0.0.1:1 --name x --secret-file data.txt -o data.txt")),
            Map.entry("grant", List.of("grant --secret-file data.txt --name x -o data.txt")));

    /** Writes a folder of files with names of its own. */
    private static final Set<String> WRITES_A_FOLDER = Set.of("lab run");

    @TempDir
    Path folder;

    private Shell shell;
    private Refusals refusals;

    @BeforeEach
    void open() throws Exception {
        shell = new Shell(folder);
        refusals = new Refusals(shell);
        shell.write("data.txt", "Lisbon Oslo", "Rome Oslo", "Zürich Bern");
        List<List<String>> made = new ArrayList<>();
        for (String command : List.of(
                "filter build data.txt --items 100 -o a.filter",
                "filter build data.txt --items 100 -o b.filter",
                "count build data.txt -o a.count",
                "count build data.txt -o b.count",
                "distinct data.txt -o a.distinct",
                "similar build data.txt -o a.index")) {
            made.add(Arrays.asList(command.split(" ")));
        }
        assertThat(shell.all(made)).allMatch(result -> result.code() == 0);
    }

    private void docs() throws Exception {
        Path docs = Files.createDirectory(folder.resolve("docs"));
        Files.writeString(docs.resolve("one.txt"), "one document");
        Files.writeString(docs.resolve("two.txt"), "another document");
    }

    private static Map<String, CommandSpec> commands() {
        Map<String, CommandSpec> all = new TreeMap<>();
        collect(Main.commands(), "", all);
        return all;
    }

    private static void collect(CommandLine command, String name, Map<String, CommandSpec> all) {
        if (command.getSubcommands().isEmpty()) {
            all.put(name, command.getCommandSpec());
        }
        command.getSubcommands().forEach((word, inner) -> collect(inner, (name + " " + word).strip(), all));
    }

    private static boolean isOutput(ArgSpec argument) {
        return argument.type() == Output.class;
    }

    @Test
    void everyCommandWithAnOutputRefusesToReplaceItsInput() throws Exception {
        Set<String> writing = new TreeSet<>();
        commands().forEach((name, spec) -> {
            if (spec.args().stream().anyMatch(FileConflictsIT::isOutput)) {
                writing.add(name);
            }
        });
        assertThat(OVER_THEIR_INPUT.keySet()).isEqualTo(writing);

        docs();
        Map<String, String> before = docsNow();
        OVER_THEIR_INPUT.values().forEach(lines -> lines.forEach(line -> refusals.of(line, REPLACED)));
        refusals.hold();
        assertThat(docsNow()).isEqualTo(before);
    }

    private Map<String, String> docsNow() throws Exception {
        return Map.of(
                "one", Files.readString(folder.resolve("docs/one.txt")),
                "two", Files.readString(folder.resolve("docs/two.txt")));
    }

    @Test
    void everyArgumentThatNamesAnOutputIsOfTheTypeThatIsChecked() {
        commands().forEach((name, spec) -> {
            for (ArgSpec argument : spec.args()) {
                String says = String.join(" ", argument.description());
                boolean writes = says.matches(
                        "(The file to write|Write (it|the|what|one line)|Save |Draw the ring|spark: append ).*");
                assertThat(isOutput(argument))
                        .as("%s %s is an output: %s", name, argument.paramLabel(), says)
                        .isEqualTo(writes);
            }
            var output = spec.findOption("-o");
            if (output != null && !WRITES_A_FOLDER.contains(name)) {
                assertThat(output.type()).as(name).isEqualTo(Output.class);
                assertThat(output.names()).as(name).containsExactly("-o", "--output");
            }
        });
    }

    @Test
    void aFileIsKnownByItsIdentityNotByItsName() throws Exception {
        Files.createSymbolicLink(folder.resolve("symbolic"), Path.of("data.txt"));
        Files.createLink(folder.resolve("hard"), folder.resolve("data.txt"));
        shell.write("one", "an earlier result");
        Files.createLink(folder.resolve("two"), folder.resolve("one"));
        refusals.of("filter build data.txt -o symbolic --force", REPLACED)
                .of("filter build symbolic -o data.txt --force", REPLACED)
                .of("filter build data.txt -o hard --force", REPLACED)
                .of("filter build data.txt -o ./data.txt --force", REPLACED)
                .of("filter build data.txt -o " + folder + "/data.txt --force", REPLACED)
                .of("filter add a.filter a.filter", "is changed by this command")
                .of("dedup data.txt -o x --clusters ./x", "is named for two outputs")
                .of("dedup data.txt -o one --clusters two", "is named for two outputs")
                .hold();
    }

    @Test
    void noOutputLiesInAFolderThatIsRead() throws Exception {
        Files.createDirectories(folder.resolve("read/deep"));
        shell.write("read/deep/a.txt", "one of the documents");
        shell.write("outside", "an earlier result");
        Files.createLink(folder.resolve("linked"), folder.resolve("read/deep/a.txt"));
        refusals.of("dedup --format files read -o read/deep/a.txt", "lies in read")
                .of("dedup --format files read -o outside --clusters read/deep/a.txt", "lies in read")
                .of("dedup --format files read -o outside --pairs linked", "linked lies in read")
                .hold();
        assertThat(folder.resolve("read/deep/a.txt")).hasContent("one of the documents");
    }

    @Test
    void standardInputIsAnInputToo() throws Exception {
        String before = Files.readString(folder.resolve("data.txt"));
        Shell.Result build = shell.bash("perhaps filter build -o data.txt --force < data.txt");
        assertThat(build.code()).isEqualTo(2);
        assertThat(build.err()).contains("data.txt is read as standard input");
        assertThat(folder.resolve("data.txt")).hasContent(before);
    }

    @Test
    void whatIsMadeToReplaceItsInputStillDoes() throws Exception {
        shell.write("twice.txt", "the same line of text", "the same line of text");
        assertThat(shell.perhaps("dedup", "twice.txt", "-o", "twice.txt").code())
                .isZero();
        assertThat(folder.resolve("twice.txt")).hasContent("the same line of text");
        assertThat(shell.perhaps("filter", "add", "a.filter", "data.txt", "-o", "a.filter")
                        .code())
                .isZero();
        assertThat(shell.perhaps("filter", "add", "a.filter", "data.txt").code())
                .isZero();
    }

    @Test
    void aSketchDoesNotReplaceAnythingElseUnlessForced() throws Exception {
        shell.write("notes.txt", "what somebody wrote");
        refusals.of("filter build data.txt -o notes.txt", "--force")
                .of(
                        "filter build data.txt -o a.count",
                        "a.count holds a sketch of kind count, and is not replaced by one of kind bloom")
                .of("count build data.txt -o a.filter", "--force")
                .of("count merge a.count b.count -o a.filter", "--force")
                .of("distinct data.txt -o notes.txt", "--force")
                .of("filter add a.filter data.txt -o notes.txt", "--force")
                .of("filter merge a.filter b.filter -o notes.txt", "--force")
                .of("similar build data.txt -o notes.txt", "--force")
                .of("similar build notes.txt", "Missing required option")
                .hold();
        Files.createFile(folder.resolve("empty"));
        for (List<String> command : List.of(
                List.of("filter", "build", "data.txt", "-o", "empty"),
                List.of("filter", "build", "data.txt", "-o", "a.filter"),
                List.of("filter", "build", "data.txt", "-o", "notes.txt", "--force"))) {
            assertThat(shell.perhaps(command.toArray(new String[0])).code()).isZero();
        }
    }
}
