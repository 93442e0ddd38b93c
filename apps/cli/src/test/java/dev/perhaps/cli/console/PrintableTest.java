package dev.perhaps.cli.console;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTest {
    @Test
    void leavesTextAsItIs() {
        for (String text : new String[] {"", "plain", "Zürich\t\uD83D\uDE80 \\n", "C:\\x1B"}) {
            assertThat(Printable.text(text)).isEqualTo(text);
            assertThat(bytes(text.getBytes(UTF_8))).isEqualTo(text);
        }
    }

    @Test
    void showsWhatControlsATerminalOrPretendsToBeAnotherLine() {
        assertThat(Printable.text("a\u001B[31mb\u009Bc\u007F\0")).isEqualTo("a\\u001B[31mb\\u009Bc\\u007F\\u0000");
        assertThat(Printable.text("x\r\nperhaps: all is well")).isEqualTo("x\\r\\nperhaps: all is well");
        assertThat(Printable.text("txt.\u202Eexe\u2066\u2028")).isEqualTo("txt.\\u202Eexe\\u2066\\u2028");
        assertThat(Printable.lines("a\nb\r\n")).isEqualTo("a\nb\\r\n");
        assertThat(bytes("é\u001B]0;title\u0007é".getBytes(UTF_8))).isEqualTo("é\\u001B]0;title\\u0007é");
    }

    @Test
    void showsBytesThatAreNoText() {
        assertThat(bytes("Zürich".getBytes(ISO_8859_1))).isEqualTo("Z\\xFCrich");
        assertThat(bytes(new byte[] {(byte) 0x9B, '3', '1', 'm', (byte) 0xE2, (byte) 0x80}))
                .isEqualTo("\\x9B31m\\xE2\\x80");
        byte[] inside = {'a', 27, 'b', '\n', 'c'};
        assertThat(new String(Printable.bytes(inside, 1, 4), UTF_8)).isEqualTo("\\u001Bb\\n");
        assertThat(new String(Printable.lines(inside, 1, 4), UTF_8)).isEqualTo("\\u001Bb\n");
    }

    private static String bytes(byte[] bytes) {
        return new String(Printable.bytes(bytes, 0, bytes.length), UTF_8);
    }

    @Test
    void aKeyInAColumnHasNoTabAndNoLineBreak() {
        byte[] key = "a\tb\nc".getBytes(UTF_8);
        assertThat(Printable.isPlainKey(key, 0, key.length)).isFalse();
        assertThat(new String(Printable.key(key, 0, key.length), UTF_8)).isEqualTo("a\\tb\\nc");
        assertThat(Printable.isPlainKey(key, 0, 1)).isTrue();
    }
}
