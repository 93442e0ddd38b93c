package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The list of phrases finds what it is made for, and leaves their plain neighbours alone. */
class PlainWordsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "10 bits a key",
                "one JSON object a line",
                "one multiplication an item",
                "base 10; else 0",
                "whoever asks",
                "what came lately",
                "how alike two files are",
                "it waits for ever",
                "signed by somebody whom Java trusts",
                "void oneFactALine()"
            })
    void findsPhrasesThatReadersStumbleOver(String text) {
        assertThat(PlainWords.banned(text)).isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10 bits per key",
                "it prints a line: listening",
                "How alike? Signatures.",
                "it fails so often that it is skipped",
                "the filter holds 2 keys",
                "if [ -t 2 ]; then printf x; else echo y; fi",
                "void servesPartOfAPage()"
            })
    void allowsPlainOnes(String text) {
        assertThat(PlainWords.banned(text)).isEmpty();
    }
}
