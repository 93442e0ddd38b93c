package dev.perhaps.cli.launch;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The table that the launcher reads to start Java with the right flags: one line per kind of work and size option, its
 * fields separated by {@code |}.
 *
 * <pre>
 * kind | ,command,command, | JVM flags | option that gives the size | its default
 * </pre>
 *
 * The line {@code short}, which comes first, names no commands: it is for all that are in no other line.
 */
final class LauncherTable {
    private LauncherTable() {}

    static List<String> lines(CommandSpec program) {
        Map<Workload.Kind, List<String>> commands = new EnumMap<>(Workload.Kind.class);
        List<String> sized = new ArrayList<>();
        collect(program, "", commands, sized);
        List<String> lines = new ArrayList<>();
        lines.add(line(Workload.Kind.SHORT, "", "|"));
        commands.forEach((kind, names) -> lines.add(line(kind, "," + String.join(",", names) + ",", "|")));
        lines.addAll(sized);
        return lines;
    }

    private static void collect(
            CommandSpec command, String path, Map<Workload.Kind, List<String>> commands, List<String> sized) {
        command.subcommands().forEach((name, subcommand) -> {
            CommandSpec spec = subcommand.getCommandSpec();
            String full = path.isEmpty() ? name : path + " " + name;
            Workload workload = spec.userObject().getClass().getAnnotation(Workload.class);
            if (workload != null && !workload.sizeOption().isEmpty()) {
                OptionSpec size = spec.findOption(workload.sizeOption());
                if (size == null || size.initialValue() == null) {
                    throw new IllegalStateException(
                            full + " has no option " + workload.sizeOption() + " with a default");
                }
                sized.add(line(workload.value(), "," + full + ",", workload.sizeOption() + "|" + size.initialValue()));
            } else if (workload != null && workload.value() != Workload.Kind.SHORT) {
                commands.computeIfAbsent(workload.value(), kind -> new ArrayList<>())
                        .add(full);
            }
            collect(spec, full, commands, sized);
        });
    }

    private static String line(Workload.Kind kind, String commands, String size) {
        return String.join("|", kind.name().toLowerCase(Locale.ROOT), commands, kind.flags(), size);
    }
}
