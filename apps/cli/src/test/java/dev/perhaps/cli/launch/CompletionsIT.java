package dev.perhaps.cli.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.Main;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The completions, in an interactive bash that is typed to. */
class CompletionsIT {
    @TempDir
    Path folder;

    @BeforeEach
    void write() throws Exception {
        Files.writeString(folder.resolve("completions"), Completions.bash(Main.commands()));
        for (String name : List.of("some-file.txt", "another file.csv", "words.filter")) {
            Files.writeString(folder.resolve(name), "");
        }
        Files.writeString(Files.createDirectory(folder.resolve("folder")).resolve("deep.txt"), "");
    }

    /** What perhaps is called with, each argument in brackets, after this was typed; a {@code @} is the key TAB. */
    private String typed(String line) throws Exception {
        Path input = Files.writeString(
                folder.resolve("typed"),
                "PS1=; . ./completions; perhaps() { printf '<%s>' \"$@\"; echo; }\n" + line.replace('@', '\t') + "\n");
        ProcessBuilder bash = new ProcessBuilder("bash", "--norc", "--noprofile", "-i")
                .directory(folder.toFile())
                .redirectInput(input.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        bash.environment().put("TERM", "dumb");
        bash.environment().put("INPUTRC", "/dev/null");
        Process process = bash.start();
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return out.strip();
    }

    @Test
    void completesCommandsAndOptions() throws Exception {
        assertThat(typed("perhaps filter bui@--ki@ bloom")).isEqualTo("<filter><build><--kind><bloom>");
        assertThat(typed("perhaps help simi@")).isEqualTo("<help><similar>");
    }

    @Test
    void completesNamesOfFilesInEveryPlace() throws Exception {
        assertThat(typed("perhaps filter build so@-o wor@"))
                .isEqualTo("<filter><build><some-file.txt><-o><words.filter>");
        assertThat(typed("perhaps filter check wor@an@")).isEqualTo("<filter><check><words.filter><another file.csv>");
        assertThat(typed("perhaps similarity so@fol@de@")).isEqualTo("<similarity><some-file.txt><folder/deep.txt>");
        assertThat(typed("perhaps place --nodes so@--input=wor@"))
                .isEqualTo("<place><--nodes><some-file.txt><--input=words.filter>");
        assertThat(typed("perhaps info wor@")).isEqualTo("<info><words.filter>");
    }

    @Test
    void completesKindsMethodsAndExperiments() throws Exception {
        assertThat(typed("perhaps filter build --kind cuck@x")).isEqualTo("<filter><build><--kind><cuckoo><x>");
        assertThat(typed("perhaps filter build --kind=cuck@x")).isEqualTo("<filter><build><--kind=cuckoo><x>");
        assertThat(typed("perhaps place --by re@x")).isEqualTo("<place><--by><rendezvous><x>");
        assertThat(typed("perhaps dedup --signature f@--bands l@x"))
                .isEqualTo("<dedup><--signature><fast><--bands><lecture><x>");
        assertThat(typed("perhaps lab run fal@x")).isEqualTo("<lab><run><false-positives><x>");
    }

    @Test
    void completesFormatsAndLetsGoOnBehindAColon() throws Exception {
        assertThat(typed("perhaps filter build --format js@id so@"))
                .isEqualTo("<filter><build><--format><jsonl:id><some-file.txt>");
        assertThat(typed("perhaps top --format=w@2 so@")).isEqualTo("<top><--format=word:2><some-file.txt>");
        assertThat(typed("perhaps filter build --format u@x")).isEqualTo("<filter><build><--format><urls><x>");
        assertThat(typed("perhaps dedup --format f@x")).isEqualTo("<dedup><--format><files><x>");
        assertThat(typed("perhaps baskets --format t@:a,b x")).isEqualTo("<baskets><--format><tsv:a,b><x>");
    }
}
