package dev.perhaps.cli.engine.process;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.options.Output;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;

/** Where a command does its work. A command that has these options can run on Spark. */
public final class EngineOptions {
    static final String DEFAULT_MASTER = "local[*]";

    /** The engines. */
    enum Kind {
        LOCAL,
        SPARK
    }

    /** A command with options that Spark cannot serve. */
    public interface OnSpark {
        /** Refuses them, before Spark is started. */
        void refuseForSpark();
    }

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            description = "Where to compute: local (this process) or spark (see docs/spark.md) (default: local).")
    private Kind engine = Kind.LOCAL;

    @Option(
            names = "--master",
            paramLabel = "URL",
            description = "spark: the cluster, as in spark://host:7077; all its workers must be able to read the"
                    + " inputs under the same names (default: " + DEFAULT_MASTER + ", this machine).")
    private @Nullable String master;

    @Option(
            names = "--spark-conf",
            paramLabel = "KEY=VALUE",
            description = "spark: a setting of Spark, as in spark.driver.memory=8g; repeatable.")
    private List<String> settings = new ArrayList<>();

    @Option(
            names = "--spark-log",
            paramLabel = "LOG",
            description = "spark: append the log of Spark to this file (default: it is not kept).")
    private @Nullable Output log;

    /** The options of a command if it is to run on Spark, null otherwise; what Spark cannot do is refused. */
    static @Nullable EngineOptions forSpark(CommandSpec command) {
        for (CommandSpec mixin : command.mixins().values()) {
            if (mixin.userObject() instanceof EngineOptions options) {
                return options.isSpark(command) ? options : null;
            }
        }
        return null;
    }

    private boolean isSpark(CommandSpec command) {
        if (engine == Kind.LOCAL) {
            if (master != null || log != null || !settings.isEmpty()) {
                throw new BadInput((master != null ? "--master" : log != null ? "--spark-log" : "--spark-conf")
                        + " goes with --engine spark");
            }
            return false;
        }
        for (PositionalParamSpec inputs : command.positionalParameters()) {
            if (inputs.getValue() instanceof Collection<?> names
                    && (names.isEmpty() || names.contains(Input.STANDARD))) {
                throw new BadInput(
                        "standard input cannot be read by the tasks of Spark: name files, or use" + " --engine local");
            }
        }
        for (String setting : settings) {
            if (!setting.startsWith("spark.") || setting.indexOf('=') < 0) {
                throw new BadInput("--spark-conf must be spark.NAME=VALUE, got '" + setting + "'");
            }
        }
        if (command.userObject() instanceof OnSpark checked) {
            checked.refuseForSpark();
        }
        return true;
    }

    String master() {
        return master == null ? DEFAULT_MASTER : master;
    }

    List<String> settings() {
        return settings;
    }

    @Nullable
    Output log() {
        return log;
    }

    /** The value of a setting of Spark, or null. */
    @Nullable
    String setting(String name) {
        String found = null;
        for (String setting : settings) {
            found = setting.startsWith(name + "=") ? setting.substring(name.length() + 1) : found;
        }
        return found;
    }
}
