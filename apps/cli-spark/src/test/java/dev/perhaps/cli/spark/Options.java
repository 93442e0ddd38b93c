package dev.perhaps.cli.spark;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.launcher.JavaModuleOptions;

/** What Spark's own scripts give to the JVM. */
final class Options {
    private Options() {}

    static List<String> jvm() {
        return Arrays.stream(JavaModuleOptions.defaultModuleOptions().split(" ", -1))
                .filter(option -> !option.isEmpty())
                .toList();
    }
}
