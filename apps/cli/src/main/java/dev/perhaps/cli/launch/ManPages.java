package dev.perhaps.cli.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Manual pages, one per command, written from the same model as {@code --help}. The generator that comes with picocli writes
 * AsciiDoc, which needs a second program (Ruby, 60 MB) to become a page; the part of roff that a page needs is these lines.
 */
final class ManPages {
    private ManPages() {}

    static void write(CommandSpec program, String version, Path folder) throws IOException {
        String name = program.qualifiedName("-");
        Files.write(folder.resolve(name + ".1"), page(program, name, version));
        for (CommandLine subcommand : program.subcommands().values()) {
            if (!subcommand.getCommandSpec().usageMessage().hidden()) {
                write(subcommand.getCommandSpec(), version, folder);
            }
        }
    }

    private static List<String> page(CommandSpec command, String name, String version) {
        Help help = new Help(command, Help.defaultColorScheme(Help.Ansi.OFF));
        List<String> description = text(help.description());
        List<String> page = new ArrayList<>();
        page.add(".TH \"" + name.toUpperCase(Locale.ROOT) + "\" 1 \"\" \"perhaps " + version + "\" \"Perhaps\"");
        page.add(".nh");
        page.add(".ad l");
        section(page, "NAME");
        page.add(name + " \\- " + (description.isEmpty() ? name : escaped(description.get(0))));
        section(page, "SYNOPSIS");
        verbatim(page, text(help.synopsis(0)));
        section(page, "DESCRIPTION");
        description.forEach(line -> page.add(line.isBlank() ? ".PP" : escaped(line)));
        List<PositionalParamSpec> positionals = command.positionalParameters();
        if (!positionals.isEmpty()) {
            section(page, "ARGUMENTS");
            positionals.stream().filter(argument -> !argument.hidden()).forEach(argument -> {
                page.add(".TP");
                page.add("\\fI" + escaped(argument.paramLabel()) + "\\fR");
                describe(page, argument);
            });
        }
        section(page, "OPTIONS");
        for (OptionSpec option : command.options()) {
            if (!option.hidden()) {
                String value = option.arity().max() == 0 ? "" : " \\fI" + escaped(option.paramLabel()) + "\\fR";
                page.add(".TP");
                page.add("\\fB" + escaped(String.join(", ", option.names())) + "\\fR" + value);
                describe(page, option);
            }
        }
        if (!command.subcommands().isEmpty()) {
            section(page, "COMMANDS");
            for (CommandLine subcommand : command.subcommands().values()) {
                CommandSpec spec = subcommand.getCommandSpec();
                if (!spec.usageMessage().hidden()) {
                    page.add(".TP");
                    page.add("\\fB" + escaped(spec.qualifiedName("-")) + "\\fR(1)");
                    List<String> about = text(new Help(spec, Help.defaultColorScheme(Help.Ansi.OFF)).description());
                    page.add(about.isEmpty() ? "\\&" : escaped(about.get(0)));
                }
            }
        }
        List<String> footer = text(help.footer());
        if (!footer.isEmpty()) {
            section(page, "NOTES AND EXAMPLES");
            verbatim(page, footer);
        }
        return page;
    }

    private static void section(List<String> page, String title) {
        page.add(".SH " + title);
    }

    private static void verbatim(List<String> page, List<String> lines) {
        page.add(".nf");
        lines.forEach(line -> page.add(escaped(line)));
        page.add(".fi");
    }

    private static void describe(List<String> page, ArgSpec argument) {
        for (String line : argument.description()) {
            page.add(escaped(line.replace("%%", "%").replace("%n", " ")));
        }
        if (argument.description().length == 0) {
            page.add("\\&");
        }
    }

    /** The lines, without blank ones at both ends. */
    private static List<String> text(String lines) {
        return lines.strip().isEmpty()
                ? List.of()
                : lines.stripTrailing().lines().dropWhile(String::isBlank).toList();
    }

    /** A backslash, a hyphen that can be copied, and a line that begins with what roff would take for a request. */
    private static String escaped(String line) {
        String safe = line.replace("\\", "\\e").replace("-", "\\-");
        return safe.startsWith(".") || safe.startsWith("'") ? "\\&" + safe : safe;
    }
}
