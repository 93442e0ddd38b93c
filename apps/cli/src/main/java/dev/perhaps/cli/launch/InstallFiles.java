package dev.perhaps.cli.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;

/**
 * Writes into a folder what an installation has beside the jar: the table of the launcher, manual pages, completions. Run by the
 * build, never by a user.
 */
public final class InstallFiles {
    private InstallFiles() {}

    /** The class whose method {@code commands} returns the program, which this package need not know; the folder; the version that the manual pages name. */
    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        CommandLine program =
                (CommandLine) Class.forName(args[0]).getMethod("commands").invoke(null);
        Path folder = Path.of(args[1]);
        Path lib = Files.createDirectories(folder.resolve("lib"));
        Files.write(lib.resolve("perhaps.launch"), LauncherTable.lines(program.getCommandSpec()));

        Path pages = Files.createDirectories(folder.resolve("man/man1"));
        ManPages.write(program.getCommandSpec(), args[2], pages);

        Path completions = Files.createDirectories(folder.resolve("completions"));
        String bash = Completions.bash(program);
        Files.writeString(completions.resolve("perhaps.bash"), bash);
        Files.writeString(completions.resolve("_perhaps"), Completions.zsh(bash));
    }
}
