package dev.perhaps.cli;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.UserWords;
import dev.perhaps.cli.engine.process.SparkProcess;
import dev.perhaps.cli.frequency.CountCommand;
import dev.perhaps.cli.frequency.DistinctCommand;
import dev.perhaps.cli.frequency.FlowsCommand;
import dev.perhaps.cli.frequency.TopCommand;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.lab.LabCommand;
import dev.perhaps.cli.launch.CompletionCommand;
import dev.perhaps.cli.membership.FilterCommand;
import dev.perhaps.cli.membership.PlanCommand;
import dev.perhaps.cli.options.FileConflicts;
import dev.perhaps.cli.options.InfoCommand;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.cli.placement.DeleteCommand;
import dev.perhaps.cli.placement.GetCommand;
import dev.perhaps.cli.placement.GrantCommand;
import dev.perhaps.cli.placement.PeerCommand;
import dev.perhaps.cli.placement.PlaceCommand;
import dev.perhaps.cli.placement.PutCommand;
import dev.perhaps.cli.placement.RingCommand;
import dev.perhaps.cli.proxy.ProxyCommand;
import dev.perhaps.cli.server.ServeCommand;
import dev.perhaps.cli.similarity.BasketsCommand;
import dev.perhaps.cli.similarity.DedupCommand;
import dev.perhaps.cli.similarity.SimilarCommand;
import dev.perhaps.cli.similarity.SimilarityCommand;
import dev.perhaps.io.WholeFile;
import dev.perhaps.sketch.FormatException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;

/** The command {@code perhaps}, and what all commands keep to: exit codes, one-line errors, whole files. */
@Command(
        name = "perhaps",
        description = {
            "Answers questions about data too big to keep, with a known error:",
            "is it in the set, how often, how similar, who has it.",
            ""
        },
        footer = {
            "",
            "New here? 'perhaps tour' shows what it can do in under half a minute.",
            "'perhaps help COMMAND' explains a command, with examples.",
            "",
            "Exit codes: 0 done (for 'check', 'query', 'get': something found), 1 nothing",
            "found (in the lab: an expectation failed), 2 bad usage or input, 130 Ctrl-C."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND")
public final class Main {
    /** Help fits this. */
    static final int HELP_COLUMNS = 80;

    /** The commands, in the order of the help page. */
    private static final List<String> NAMES = List.of(
            "tour",
            "plan",
            "info",
            "filter",
            "count",
            "distinct",
            "top",
            "flows",
            "dedup",
            "similar",
            "similarity",
            "baskets",
            "place",
            "peer",
            "ring",
            "put",
            "get",
            "delete",
            "grant",
            "proxy",
            "serve",
            "lab",
            "help",
            "version",
            "generate-completion");

    /** The command whose arguments may be in a file. For others, {@code @ada} is a key or a name that begins so. */
    private static final String WITH_ARGUMENT_FILES = "serve";

    /** Commands that look at all others. */
    private static final Set<String> NEED_ALL = Set.of("help", "generate-completion");

    private static volatile boolean stopping;

    private Main() {}

    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
        Runtime.getRuntime().addShutdownHook(new Thread(Main::stop));
        System.exit(run(args));
    }

    /** Called on Ctrl-C too: the JVM then exits with 130, and partial files are deleted. */
    private static void stop() {
        stopping = true;
        WholeFile.stop();
    }

    /** Returns the class of a command. Only this one is loaded: loading all takes longer than most commands do. */
    private static Class<?> command(String name) {
        return switch (name) {
            case "tour" -> Tour.class;
            case "plan" -> PlanCommand.class;
            case "info" -> InfoCommand.class;
            case "filter" -> FilterCommand.class;
            case "count" -> CountCommand.class;
            case "distinct" -> DistinctCommand.class;
            case "top" -> TopCommand.class;
            case "flows" -> FlowsCommand.class;
            case "dedup" -> DedupCommand.class;
            case "similar" -> SimilarCommand.class;
            case "similarity" -> SimilarityCommand.class;
            case "baskets" -> BasketsCommand.class;
            case "place" -> PlaceCommand.class;
            case "peer" -> PeerCommand.class;
            case "ring" -> RingCommand.class;
            case "put" -> PutCommand.class;
            case "get" -> GetCommand.class;
            case "delete" -> DeleteCommand.class;
            case "grant" -> GrantCommand.class;
            case "proxy" -> ProxyCommand.class;
            case "serve" -> ServeCommand.class;
            case "lab" -> LabCommand.class;
            case "help" -> HelpCommand.class;
            case "version" -> VersionCommand.class;
            case "generate-completion" -> CompletionCommand.class;
            default -> throw new IllegalArgumentException("no command: " + name);
        };
    }

    /** All commands, as they are parsed and explained. */
    public static CommandLine commands() {
        return commands(NAMES);
    }

    /** The commands that can be needed for these words: one, if they begin with it and it does not look at the others. */
    private static CommandLine commandsFor(String... args) {
        boolean isOne = NAMES.contains(args[0]) && !NEED_ALL.contains(args[0]);
        return isOne ? commands(List.of(args[0])) : commands();
    }

    private static CommandLine commands(List<String> names) {
        CommandLine program = new CommandLine(new Main());
        names.forEach(name -> program.addSubcommand(name, command(name)));
        return program.setResourceBundle(new HelpDefaults())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .registerConverter(Output.class, Output::of)
                .registerConverter(SketchFile.class, SketchFile::of)
                .setExecutionStrategy(Main::execute)
                .setUsageHelpWidth(HELP_COLUMNS)
                .setOut(Console.writer())
                .setUsageHelpLongOptionsMaxWidth(24)
                .setExitCodeExceptionMapper(e -> ExitCodes.REFUSED)
                .setExecutionExceptionHandler((e, command, parsed) -> failed(e, command.getCommandSpec()))
                .setParameterExceptionHandler((e, arguments) -> misused(e));
    }

    static int run(String... args) {
        if (args.length == 0) {
            return run("--help");
        }
        CommandLine commands = commandsFor(args).setExpandAtFiles(args[0].equals(WITH_ARGUMENT_FILES));
        String encoding = System.getProperty("sun.jnu.encoding", "UTF-8");
        for (String word : args) {
            // What Java could not decode is lost: a file would not be found, and a key would be another one.
            if (word.indexOf('\uFFFD') >= 0 && !encoding.equalsIgnoreCase("UTF-8")) {
                Console.complain("the argument '" + word + "' cannot be read in this locale, whose encoding is "
                        + encoding + ": set LC_ALL=C.UTF-8");
                return ExitCodes.REFUSED;
            }
        }
        try {
            int code = commands.execute(args);
            Console.flush();
            return code;
        } catch (IOException | OutOfMemoryError e) {
            return failed(e, commands.getCommandSpec());
        }
    }

    /** Runs a command, after its arguments were parsed. */
    private static int execute(ParseResult parsed) {
        ParseResult innermost = parsed;
        while (innermost.hasSubcommand()) {
            innermost = innermost.subcommand();
        }
        if (!innermost.isUsageHelpRequested() && !innermost.isVersionHelpRequested()) {
            try {
                FileConflicts.refuse(innermost.commandSpec());
                Integer code = SparkProcess.run(innermost.commandSpec(), parsed.originalArgs());
                if (code != null) {
                    return code;
                }
            } catch (IOException | RuntimeException e) {
                return failed(e, innermost.commandSpec());
            }
        }
        return new RunLast().execute(parsed);
    }

    private static int misused(ParameterException e) {
        String command = e.getCommandLine().getCommandSpec().qualifiedName();
        Console.complain(UserWords.of(e) + " (see '" + command + " --help')");
        return ExitCodes.REFUSED;
    }

    /** One line for whatever went wrong. A reader that went away is not an error: it has read what it wanted. */
    private static int failed(Throwable e, CommandSpec command) {
        if (stopping) {
            return ExitCodes.REFUSED;
        }
        if (isReaderGone(e)) {
            Console.abandon();
            return ExitCodes.DONE;
        }
        Console.complain(UserWords.of(command, line(e)));
        return ExitCodes.REFUSED;
    }

    private static boolean isReaderGone(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof Console.ReaderGone) {
                return true;
            }
        }
        return false;
    }

    private static String line(Throwable e) {
        if (e instanceof UncheckedIOException && e.getCause() instanceof IOException cause) {
            return line(cause);
        }
        if (e instanceof BadInput || e instanceof FormatException || e instanceof IllegalArgumentException) {
            return said(e);
        }
        if (e instanceof NoSuchFileException missing) {
            return missing.getFile() + ": " + because(missing.getReason(), "there is no such file");
        }
        if (e instanceof AccessDeniedException denied) {
            return denied.getFile() + ": " + because(denied.getReason(), "this user may not read or write it");
        }
        if (e instanceof FileSystemException file) {
            return file.getFile() + ": " + because(file.getReason(), said(e));
        }
        if (e instanceof IOException || e instanceof IllegalStateException) {
            return said(e);
        }
        if (e instanceof OutOfMemoryError) {
            return "there is not enough memory: ask for less, or give Java more with PERHAPS_JAVA_OPTIONS=-Xmx4g";
        }
        return "this should not have happened, please report it: " + e;
    }

    private static String because(@Nullable String reason, String otherwise) {
        return reason == null ? otherwise : reason;
    }

    private static String said(Throwable e) {
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message.replace('\n', ' ');
    }

    /** Reads the version that the build wrote. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() throws IOException {
            try (var in = Main.class.getResourceAsStream("version.txt")) {
                String version = in == null ? "unknown" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
                return new String[] {"perhaps " + version.strip() + ", Java " + Runtime.version()};
            }
        }
    }
}
