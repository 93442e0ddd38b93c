package dev.perhaps.cli;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.io.FormatException;
import dev.perhaps.io.WholeFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;

/** The command {@code perhaps}, and what all commands keep to: exit codes, one-line errors, whole files. */
@Command(
        name = "perhaps",
        description = {
            "Answers about data too big to keep, with a known error:",
            "is it in the set, how often, how alike, who has it.",
            ""
        },
        footer = {
            "",
            "New here? 'perhaps tour' shows it on data it brings along, in under half a minute.",
            "",
            "Exit codes: 0 done (for 'check', 'get': something found), 1 nothing found (in the lab: an expectation failed),",
            "2 bad usage or input, 130 Ctrl-C."
        },
        subcommands = {
            Tour.class,
            PlanCommand.class,
            FilterCommand.class,
            CountCommand.class,
            DistinctCommand.class,
            TopCommand.class,
            FlowsCommand.class,
            DedupCommand.class,
            SimilarCommand.class,
            SimilarityCommand.class,
            BasketsCommand.class,
            PlaceCommand.class,
            PeerCommand.class,
            RingCommand.class,
            PutCommand.class,
            GetCommand.class,
            DeleteCommand.class,
            GrantCommand.class,
            ProxyCommand.class,
            LabCommand.class,
            GenerateCompletion.class
        },
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND")
public final class Main {
    static final int DONE = 0;
    static final int NOTHING_FOUND = 1;
    static final int REFUSED = 2;

    private static volatile boolean stopping;

    private Main() {}

    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        Runtime.getRuntime().addShutdownHook(new Thread(Main::stop));
        System.exit(run(args));
    }

    /** Ctrl-C comes here too: the JVM then exits with 130, and a half-written file is taken away. */
    private static void stop() {
        stopping = true;
        WholeFile.stop();
    }

    static int run(String... args) {
        CommandLine commands = new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setUsageHelpLongOptionsMaxWidth(28)
                .setExitCodeExceptionMapper(e -> REFUSED)
                .setExecutionExceptionHandler((e, command, parsed) -> failed(e))
                .setParameterExceptionHandler((e, arguments) -> misused(e));
        if (args.length == 0) {
            commands.usage(System.out);
            return DONE;
        }
        try {
            int code = commands.execute(args);
            Console.flush();
            return code;
        } catch (IOException | OutOfMemoryError e) {
            return failed(e);
        }
    }

    private static int misused(ParameterException e) {
        String command = e.getCommandLine().getCommandSpec().qualifiedName();
        String message = e.getCause() instanceof BadInput cause ? cause.getMessage() : String.valueOf(e.getMessage());
        Console.complain(message + " (see '" + command + " --help')");
        return REFUSED;
    }

    /** One line for whatever went wrong. A reader that went away is no error: it has read what it wanted. */
    private static int failed(Throwable e) {
        if (stopping) {
            return REFUSED;
        }
        if (isReaderGone(e)) {
            Console.abandon();
            return DONE;
        }
        Console.complain(line(e));
        return REFUSED;
    }

    private static boolean isReaderGone(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            // The second is what writing a result to a pipe by its name says: -o /dev/stdout, -o >(...).
            if (cause instanceof Console.ReaderGone
                    || cause instanceof IOException && "Broken pipe".equals(cause.getMessage())) {
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
            return "there is not enough memory: see 'perhaps plan' for what is needed, and give Java more with"
                    + " PERHAPS_JAVA_OPTIONS=-Xmx4g";
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
                String version =
                        in == null ? "unknown" : new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
                return new String[] {"perhaps " + version.strip() + ", Java " + Runtime.version()};
            }
        }
    }
}
