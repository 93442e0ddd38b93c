package dev.perhaps.cli.options;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Takes options that are not given from the environment: {@code PERHAPS_SERVE_MAX_MEMORY} for {@code serve --max-memory}. */
public final class EnvironmentDefaults implements IDefaultValueProvider {
    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        if (!(argument instanceof OptionSpec option) || option.usageHelp() || option.versionHelp()) {
            return null;
        }
        String value = System.getenv(variable(option.command().qualifiedName(), option.longestName()));
        return value == null || value.isEmpty() ? null : value;
    }

    /** The variable of an option of a command with this name, such as "perhaps serve". */
    static String variable(String command, String option) {
        return (command + "_" + option.replaceFirst("^-+", ""))
                .replaceAll("[ -]", "_")
                .toUpperCase(Locale.ROOT);
    }
}
