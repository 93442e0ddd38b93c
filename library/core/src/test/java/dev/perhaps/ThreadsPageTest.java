package dev.perhaps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.frame.Frame;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Shareable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The page about threads speaks of every kind, and says of each whether it has a concurrent form. */
class ThreadsPageTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "threads.md");

    /** One line of the table: kind, structure, as built and opened, concurrent form. */
    private static List<List<String>> rows() throws IOException {
        List<List<String>> rows = new ArrayList<>();
        for (String line : Files.readAllLines(PAGE)) {
            if (line.startsWith("| `")) {
                rows.add(List.of(line.substring(2, line.length() - 2).split(" \\| ")));
            }
        }
        return rows;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void everyKindIsInTheTable(Kind kind) throws IOException {
        assertThat(rows()).anyMatch(row -> row.get(0).equals("`" + kind.word() + "`"));
    }

    @Test
    void saysOfEachKindWhetherItHasAConcurrentForm() throws IOException {
        Set<Kind> shareable = EnumSet.noneOf(Kind.class);
        for (Path file : Golden.files()) {
            if (Perhaps.open(file) instanceof Shareable<?>) {
                shareable.add(Frame.look(file).kind());
            }
        }
        for (Kind kind : Kind.values()) {
            List<String> said = rows().stream()
                    .filter(row -> row.get(0).equals("`" + kind.word() + "`"))
                    .map(row -> row.get(3))
                    .toList();
            if (shareable.contains(kind)) {
                assertThat(said).as(kind.word()).anyMatch(form -> !form.equals("none"));
            } else {
                assertThat(said).as(kind.word()).containsOnly("none");
            }
        }
    }
}
