package dev.perhaps.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code perhaps tour}, as a user runs it first. */
class TourIT {
    @TempDir
    Path folder;

    @Test
    void showsRealAnswersToEveryQuestion() throws Exception {
        Shell.Result result = new Shell(folder).perhaps("tour");
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.err()).doesNotContain("perhaps:");
        assertThat(result.out())
                .contains("Is it in the set?", "How often?", "How alike?", "Who has it?", "Lisbon\tgamma")
                .contains("$ redis-cli PERHAPS.LOAD capitals capitals.filter\n    OK\n")
                .contains("$ redis-cli BF.EXISTS capitals Lisbon\n    (integer) 1\n")
                .contains("$ redis-cli BF.EXISTS capitals Atlantis\n    (integer) 0\n")
                .contains("$ redis-cli BF.ADD seen https://example.org/\n    (integer) 0\n")
                .doesNotContain("(error)")
                .endsWith("README.md for the library.\n");
    }

    @Test
    void countsItsCapitalsRight() throws Exception {
        List<String> capitals;
        try (InputStream in = Objects.requireNonNull(Tour.class.getResourceAsStream("tour/capitals.txt"))) {
            capitals = new String(in.readAllBytes(), UTF_8).lines().toList();
        }
        assertThat(capitals).doesNotHaveDuplicates().doesNotContain("").contains("Lisbon", "Oslo");
        assertThat(new Shell(folder).perhaps("tour").out())
                .contains("Here are " + capitals.size() + " capitals.")
                .contains("wrote capitals.filter: " + capitals.size() + " items read")
                .contains("The " + capitals.size() + " capitals on them:");
    }

    @Test
    void leavesNothingBehindAfterCtrlC() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("temporary"));
        Shell.Running tour = new Shell(folder).startAs(List.of(), List.of("-Djava.io.tmpdir=" + temporary), "tour");
        Await.until("it is in the middle", () -> Files.readString(tour.out()).contains("known.filter"));
        assertThat(temporary).isNotEmptyDirectory();
        tour.signal("-INT");
        assertThat(tour.process().waitFor()).isEqualTo(130);
        assertThat(temporary).isEmptyDirectory();
    }
}
