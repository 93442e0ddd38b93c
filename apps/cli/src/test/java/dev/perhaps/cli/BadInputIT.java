package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.Perhaps;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bad input gets one clear line and exit code 2, and leaves what was there before. */
class BadInputIT {
    @TempDir
    Path folder;

    private Shell shell;
    private Refusals refusals;

    @BeforeEach
    void open() throws Exception {
        shell = new Shell(folder);
        refusals = new Refusals(shell);
        shell.write("cities.txt", "Lisbon", "Oslo", "Rome");
        shell.perhaps("filter", "build", "cities.txt", "--items", "100", "-o", "good");
    }

    /** To be refused, with one line that says this, and with no file that came, went or changed; held at the test's end. */
    private void refused(String expected, String... arguments) {
        refusals.of(List.of(arguments), expected);
    }

    @AfterEach
    void hold() throws Exception {
        refusals.hold();
    }

    @Test
    void refusesImpossibleParameters() throws Exception {
        refused(
                "--items must be a whole number of at least 1",
                "filter",
                "build",
                "cities.txt",
                "-o",
                "f",
                "--items",
                "0");
        refused("got 'many'", "filter", "build", "cities.txt", "-o", "f", "--items", "many");
        refused("--fpp must be in (0, 1), got 0.0", "filter", "build", "cities.txt", "-o", "f", "--fpp", "0");
        refused("got 1.0", "filter", "build", "cities.txt", "-o", "f", "--fpp", "1");
        refused("'x' is not a number", "filter", "build", "cities.txt", "-o", "f", "--fpp", "x");
        refused(
                "at most 8 are allowed",
                "filter",
                "build",
                "cities.txt",
                "-o",
                "f",
                "--items",
                "1e6",
                "--fpp",
                "0.01",
                "--memory",
                "8");
        refused("got 'lots'", "filter", "build", "cities.txt", "-o", "f", "--memory", "lots");
        refused("one filter has at most", "filter", "build", "cities.txt", "-o", "f", "--items", "1e17");
        refused("there is no kind of filter 'sieve'", "filter", "build", "cities.txt", "-o", "f", "--kind", "sieve");
        refused("there is no format 'words'", "filter", "build", "cities.txt", "-o", "f", "--format", "words");
        refused("Missing required option: '--output=FILTER'", "filter", "build", "cities.txt");
        refused("Unknown option: '--fast'", "filter", "build", "cities.txt", "-o", "f", "--fast");
        refused("--prior must be in [0, 1], got 2.0", "plan", "--items", "10", "--prior", "2", "--alpha", "1");
    }

    @Test
    void refusesInputThatIsNotThere() throws Exception {
        refused("nothing.txt: there is no such file", "filter", "build", "nothing.txt", "-o", "f");
        refused("nothing.txt: there is no such file", "filter", "build", "cities.txt", "nothing.txt", "-o", "f");
        refused("is a directory", "filter", "build", folder.toString(), "-o", "f");
        refused("its folder does not exist", "filter", "build", "cities.txt", "-o", "no/such/f");
        refused("is a directory", "filter", "build", "cities.txt", "-o", folder.toString());
        refused("nothing: there is no such file", "filter", "check", "nothing", "cities.txt");
        refused("nothing: there is no such file", "filter", "add", "nothing", "cities.txt");
        refused("nothing: there is no such file", "filter", "info", "nothing");
        refused("nothing.txt: there is no such file", "filter", "add", "good", "nothing.txt");
    }

    @Test
    void showsControlCharactersInsteadOfSendingThemToTheTerminal() throws Exception {
        refused("no\\u001B[31mfile: there is no such file", "filter", "build", "no\u001B[31mfile", "-o", "f");
        refused("got '\\u001B[2J'", "filter", "build", "cities.txt", "-o", "f", "--items", "\u001B[2J");
        refused("there is no format 'x\\u009B'", "filter", "build", "cities.txt", "-o", "f", "--format", "x\u009B");
        refusals.hold();
        shell.write("keys.jsonl", "{\"k\":\"a\\u001b[31m\\nb\"}");
        assertThat(shell.perhaps("top", "keys.jsonl", "--format", "jsonl:k").out())
                .isEqualTo("1  1  a\\u001B[31m\\nb\n");
        Files.write(folder.resolve("lines.txt"), "Os\u001B[1mlo\n".getBytes(StandardCharsets.UTF_8));
        shell.perhaps("filter", "add", "good", "lines.txt");
        assertThat(shell.perhaps("filter", "check", "good", "lines.txt").out())
                .as("into a pipe, keys go as they came")
                .isEqualTo("Os\u001B[1mlo\n");
        assertThat(shell.startAs(List.of(), List.of("-Dperhaps.shown=true"), "filter", "check", "good", "lines.txt")
                        .finish("")
                        .out())
                .as("to a terminal they do not")
                .isEqualTo("Os\\u001B[1mlo\n");
    }

    @Test
    void refusesTextThatIsNoUtf8WhereItMustBe() throws Exception {
        Files.write(folder.resolve("bad.csv"), "name\nAnn\nZ\u00fcrich\n".getBytes(StandardCharsets.ISO_8859_1));
        refused("it is not valid UTF-8", "filter", "build", "bad.csv", "--format", "csv:name", "-o", "f");
        Files.write(folder.resolve("bad.jsonl"), "{\"name\":\"Z\u00fcrich\"}\n".getBytes(StandardCharsets.ISO_8859_1));
        refused(
                "bad.jsonl line 1: it is not valid UTF-8",
                "filter",
                "build",
                "bad.jsonl",
                "--format",
                "jsonl:name",
                "-o",
                "f");
    }

    @Test
    void refusesCsvAndJsonThatDoNotHaveTheKey() throws Exception {
        shell.write("users.csv", "id,email", "1,ann@example.org", "2");
        refused(
                "there is no column 'mail'; its header names id, email",
                "filter",
                "build",
                "users.csv",
                "--format",
                "csv:mail",
                "-o",
                "f");
        refused(
                "users.csv line 3: it has 1 field, the first row has 2",
                "filter",
                "build",
                "users.csv",
                "--format",
                "csv:email",
                "-o",
                "f");
        refused("needs a name, as in csv:email", "filter", "build", "users.csv", "--format", "csv", "-o", "f");
        shell.write("users.jsonl", "{\"id\":1}", "{\"id\":null}", "{\"id\":");
        refused(
                "users.jsonl line 1: it has no field 'email'",
                "filter",
                "build",
                "users.jsonl",
                "--format",
                "jsonl:email",
                "-o",
                "f");
        refused(
                "users.jsonl line 2: it has no field 'id'",
                "filter",
                "build",
                "users.jsonl",
                "--format",
                "jsonl:id",
                "-o",
                "f");
        shell.write("cut.jsonl", "{\"id\":1}", "{\"id\":");
        refused(
                "cut.jsonl line 2: it is not valid JSON",
                "filter",
                "build",
                "cut.jsonl",
                "--format",
                "jsonl:id",
                "-o",
                "f");
    }

    @Test
    void refusesDamagedFilters() throws Exception {
        byte[] good = Files.readAllBytes(folder.resolve("good"));
        Files.write(folder.resolve("short"), Arrays.copyOf(good, good.length - 3));
        refused("short: it is cut short", "filter", "check", "short", "cities.txt");
        byte[] flipped = good.clone();
        flipped[good.length - 20] ^= 4;
        Files.write(folder.resolve("flipped"), flipped);
        refused("flipped: the payload's checksum does not fit", "filter", "check", "flipped", "cities.txt");
        byte[] newer = good.clone();
        newer[8] = 9;
        Files.write(folder.resolve("newer"), newer);
        refused("newer: the file has frame version 9", "filter", "info", "newer");
        Files.write(folder.resolve("empty"), new byte[0]);
        refused("empty: it is cut short: it is empty", "filter", "info", "empty");
        refused("cities.txt: not a Perhaps file", "filter", "add", "cities.txt", "empty");
    }

    @Test
    void refusesWhatAKindCannotDo() throws Exception {
        refused("good is a bloom, which cannot remove", "filter", "remove", "good", "cities.txt");
        refused("good is a bloom, which cannot grow", "filter", "grow", "good");
        shell.perhaps("filter", "build", "cities.txt", "--items", "1000", "-o", "bigger");
        refused("good and bigger: these Bloom filters do not fit", "filter", "merge", "good", "bigger", "-o", "f");
    }

    @Test
    void refusesAFullDisk() throws Exception {
        refused("/dev/full: No space left on device", "filter", "build", "cities.txt", "-o", "/dev/full");
        refused("/dev/full: No space left on device", "filter", "add", "good", "cities.txt", "-o", "/dev/full");
        Shell.Result stdout = shell.sh("perhaps filter info good > /dev/full");
        assertThat(stdout.code()).isEqualTo(2);
        assertThat(stdout.err()).contains("perhaps: standard output: No space left on device");
    }

    @Test
    void takesAnEmptyFileForAnEmptySet() throws Exception {
        Files.write(folder.resolve("none.txt"), new byte[0]);
        assertThat(shell.perhaps("filter", "build", "none.txt", "-o", "f").code())
                .isZero();
        assertThat(shell.perhaps("filter", "check", "f", "cities.txt").code()).isEqualTo(1);
    }

    @Test
    void refusesADamagedArchive() throws Exception {
        Files.write(folder.resolve("bad.gz"), new byte[] {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3});
        refused(
                "bad.gz: the compressed data is damaged: it is cut short (gzip member 1, byte 13)",
                "filter",
                "build",
                "bad.gz",
                "-o",
                "f");
    }

    /** Ctrl-C and kill half way: the file that was there is still there, whole, and nothing lies beside it. */
    @Test
    void leavesWhatWasThereWhenItIsInterrupted() throws Exception {
        byte[] before = Files.readAllBytes(folder.resolve("good"));
        for (String signal : new String[] {"-INT", "-TERM", "-KILL"}) {
            Shell.Running build = shell.start("filter", "build", "--items", "1000000", "-o", "good");
            OutputStream stdin = build.process().getOutputStream();
            for (int i = 0; i < 10_000; i++) {
                stdin.write((i + "\n").getBytes(StandardCharsets.UTF_8));
            }
            stdin.flush();
            TimeUnit.MILLISECONDS.sleep(1500);
            assertThat(build.process().isAlive()).isTrue();
            build.signal(signal);
            Shell.Result result = build.finish();
            assertThat(result.code()).isEqualTo(signal.equals("-INT") ? 130 : signal.equals("-TERM") ? 143 : 137);
            assertThat(Files.readAllBytes(folder.resolve("good"))).isEqualTo(before);
            assertThat(shell.files()).containsExactly("cities.txt", "good");
        }
    }

    /** A file that is being written when the signal comes is taken away again. */
    @Test
    void takesAwayWhatItHasHalfWritten() throws Exception {
        Random random = new Random(1);
        for (int round = 0; round < 3; round++) {
            Shell.Running build = shell.start("filter", "build", "cities.txt", "--items", "100000000", "-o", "big");
            TimeUnit.MILLISECONDS.sleep(700 + random.nextInt(900));
            build.signal("-INT");
            Shell.Result result = build.finish();
            assertThat(result.code()).isIn(0, 130);
            Path big = folder.resolve("big");
            if (Files.exists(big)) {
                // The signal came when the file had its name already: then it is whole.
                assertThat(Perhaps.open(big).sizeBytes()).isPositive();
                Files.delete(big);
            }
            assertThat(shell.files()).containsExactly("cities.txt", "good");
        }
    }

    @Test
    void leavesTheFilterAsItWasWhenTheInputBreaksOff() throws Exception {
        shell.write(
                "rows.jsonl",
                IntStream.range(0, 20_000).mapToObj(i -> "{\"id\":" + i + "}").toArray(String[]::new));
        shell.perhaps("filter", "build", "rows.jsonl", "--format", "jsonl:id", "-o", "ids");
        byte[] before = Files.readAllBytes(folder.resolve("ids"));
        Files.writeString(
                folder.resolve("rows.jsonl"), "{\"id\":999999}\n{\"id\":", StandardOpenOption.TRUNCATE_EXISTING);
        refused("rows.jsonl line 2", "filter", "add", "ids", "rows.jsonl");
        refusals.hold();
        assertThat(Files.readAllBytes(folder.resolve("ids"))).isEqualTo(before);
    }
}
