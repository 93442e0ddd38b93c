package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The units for systemd in deploy/: perhaps accepts their commands, and deploy/README.md is right about their settings. */
class ServiceUnitsTest {
    private static final Path UNITS = Path.of("..", "..", "deploy", "systemd");
    private static final Pattern COMMAND = Pattern.compile("(?m)^ExecStart=.* -jar \\S+ (.*)$");
    private static final Pattern OPTIONS = Pattern.compile("(?m)^[A-Z]+_OPTIONS=\"(.*)\"$");

    @ParameterizedTest
    @ValueSource(strings = {"peer", "proxy", "server"})
    void theCommandOfAUnitIsAccepted(String name) throws IOException {
        List<String> words = new ArrayList<>(unit(name));
        words.removeIf(word -> word.matches("\\$[A-Z]+_OPTIONS"));
        words.addAll(configured(name));

        assertThat(Main.commands()
                        .parseArgs(words.toArray(String[]::new))
                        .subcommand()
                        .errors())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"peer", "proxy", "server"})
    void whereAUnitListensAndShowsItsPageIsLeftToItsConfiguration(String name) throws IOException {
        assertThat(unit(name)).doesNotContain("--listen", "--page", "--no-page", "--admin");
    }

    private static List<String> unit(String name) throws IOException {
        return words(COMMAND, UNITS.resolve("perhaps-" + name + ".service"));
    }

    private static List<String> configured(String name) throws IOException {
        return words(OPTIONS, UNITS.resolve(name + ".conf"));
    }

    private static List<String> words(Pattern pattern, Path file) throws IOException {
        Matcher line = pattern.matcher(Files.readString(file));
        assertThat(line.find()).as("%s in %s", pattern, file).isTrue();
        return Arrays.asList(line.group(1).split(" ", -1));
    }
}
