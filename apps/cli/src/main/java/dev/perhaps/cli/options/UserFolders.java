package dev.perhaps.cli.options;

import dev.perhaps.cli.input.BadInput;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Where a user's own files are, as the XDG base directory specification says. */
public final class UserFolders {
    private UserFolders() {}

    /** Returns the folder for data of this name; {@code option} is what the user can give instead. */
    public static Path data(String name, String option) {
        return data(name, option, System::getenv);
    }

    static Path data(String name, String option, Function<String, @Nullable String> environment) {
        Path base = absolute(environment.apply("XDG_DATA_HOME"));
        if (base == null) {
            Path home = absolute(environment.apply("HOME"));
            if (home == null) {
                throw new BadInput("this user has no home folder: use " + option + " to say where to keep the data");
            }
            base = home.resolve(".local").resolve("share");
        }
        return base.resolve("perhaps").resolve(name);
    }

    /** Returns the folder of this name for what can be fetched or computed again. */
    public static Path cache(String name) {
        return cache(name, System::getenv);
    }

    static Path cache(String name, Function<String, @Nullable String> environment) {
        Path base = absolute(environment.apply("XDG_CACHE_HOME"));
        if (base == null) {
            Path home = absolute(environment.apply("HOME"));
            if (home == null) {
                throw new BadInput("this user has no home folder: set XDG_CACHE_HOME to a folder for what is fetched");
            }
            base = home.resolve(".cache");
        }
        return base.resolve("perhaps").resolve(name);
    }

    /** A path that is not absolute is to be ignored. */
    private static @Nullable Path absolute(@Nullable String text) {
        return text == null || !text.startsWith("/") ? null : Path.of(text);
    }
}
