package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Commands that must be refused, each with one line that says why, and after which no file has come, gone or changed. */
public final class Refusals {
    private final Shell shell;
    private final List<List<String>> commands = new ArrayList<>();
    private final List<String> expected = new ArrayList<>();

    public Refusals(Shell shell) {
        this.shell = shell;
    }

    /** The command is given as one would type it, its words separated by spaces. */
    public Refusals of(String command, String message) {
        return of(Arrays.asList(command.split(" ")), message);
    }

    public Refusals of(List<String> command, String message) {
        commands.add(command);
        expected.add(message);
        return this;
    }

    /** Runs all of them. */
    public void hold() throws Exception {
        if (commands.isEmpty()) {
            return;
        }
        Map<String, List<Byte>> before = contents();
        List<Shell.Result> results = shell.all(commands);
        for (int i = 0; i < results.size(); i++) {
            Shell.Result result = results.get(i);
            String last = result.err().lines().reduce((a, b) -> b).orElse("");
            assertThat(last).as("%s", commands.get(i)).startsWith("perhaps: ").contains(expected.get(i));
            assertThat(result.err()).doesNotContain("\tat ").doesNotContain("Exception");
            assertThat(result.out()).as("%s", commands.get(i)).isEmpty();
            assertThat(result.code()).as("%s", commands.get(i)).isEqualTo(2);
        }
        assertThat(contents()).isEqualTo(before);
        commands.clear();
        expected.clear();
    }

    private Map<String, List<Byte>> contents() throws IOException {
        Map<String, List<Byte>> contents = new TreeMap<>();
        for (String name : shell.files()) {
            if (Files.isDirectory(shell.folder().resolve(name))) {
                continue;
            }
            List<Byte> bytes = new ArrayList<>();
            for (byte b : Files.readAllBytes(shell.folder().resolve(name))) {
                bytes.add(b);
            }
            contents.put(name, bytes);
        }
        return contents;
    }
}
