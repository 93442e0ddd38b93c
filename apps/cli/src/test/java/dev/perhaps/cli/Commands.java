package dev.perhaps.cli;

import dev.perhaps.cli.console.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Runs the commands of a file, one per line, its words separated by {@link #SEPARATOR}; says after each how it ended. */
final class Commands {
    static final String SEPARATOR = "\u001f";
    static final String END = "\u0001end ";

    private Commands() {}

    public static void main(String[] args) throws IOException {
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            int code = Main.run(line.split(SEPARATOR, -1));
            Console.println(END + code);
            Console.flush();
            System.err.println(END + code);
        }
    }
}
