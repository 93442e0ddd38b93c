package dev.perhaps.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " --quick",
                " --keys 5000",
                " --quick --only 'bloom' --rounds 7 --cpu-time",
            })
    void saysWhatToTypeForTheSameRunAgain(String words) {
        List<String> typed = words.isEmpty()
                ? List.of()
                : List.of(words.strip().replace("'", "").split(" "));
        assertThat(Options.parse("membership", typed).command()).isEqualTo("bin/bench membership" + words);
    }
}
