package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names and words outside ASCII: read in a UTF-8 locale, refused with the remedy where Java cannot read them. */
class LocaleIT {
    @TempDir
    Path folder;

    /** The name is written by the shell, since the locale of the tests may be any. */
    private Shell.Result top(String locale) throws Exception {
        return new Shell(folder)
                .sh("unset LANG LC_CTYPE; export LC_ALL=" + locale + "\n"
                        + "name=$(printf 'Z\\303\\274rich.txt'); echo Lisbon > \"$name\"; perhaps top \"$name\"");
    }

    @Test
    void readsAFileWithANameInUtf8() throws Exception {
        Shell.Result result = top("C.UTF-8");
        assertThat(result.err()).doesNotContain("perhaps: ");
        assertThat(result.out()).isEqualTo("1  1  Lisbon\n");
    }

    @Test
    void saysWhatToDoWhereTheLocaleHasNoSuchLetters() throws Exception {
        for (String locale : new String[] {"C", "POSIX"}) {
            Shell.Result result = top(locale);
            assertThat(result.code()).isEqualTo(2);
            assertThat(result.err())
                    .startsWith("perhaps: the argument 'Z")
                    .contains("cannot be read in this locale, whose encoding is ")
                    .endsWith(": set LC_ALL=C.UTF-8\n");
        }
    }

    @Test
    void messagesAndHelpAreUtf8InAnyLocale() throws Exception {
        Shell shell = new Shell(folder);
        assertThat(shell.sh("LC_ALL=C; export LC_ALL; perhaps baskets --help").out())
                .contains("≈");
        shell.write("a.txt", "a");
        assertThat(shell.sh("LC_ALL=C; export LC_ALL; printf '\\375\\067zXZ\\000' > x.xz; perhaps top x.xz")
                        .err())
                .contains("'xzcat x.xz | perhaps …'");
    }
}
