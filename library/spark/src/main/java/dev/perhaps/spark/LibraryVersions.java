package dev.perhaps.spark;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** Finds out whether the class path has the library in two versions, whose classes would be mixed. */
final class LibraryVersions {
    // Maven writes it into every jar, and the jar with everything keeps that of the library.
    private static final String WRITTEN_BY_MAVEN = "META-INF/maven/dev.perhaps/perhaps-core/pom.properties";

    private LibraryVersions() {}

    /** The problem in a line, or an empty string if there is none. */
    static String problem(ClassLoader loader) {
        Map<String, String> jars = new TreeMap<>();
        try {
            for (URL found : Collections.list(loader.getResources(WRITTEN_BY_MAVEN))) {
                Properties properties = new Properties();
                try (InputStream in = found.openStream()) {
                    properties.load(in);
                }
                String jar = found.toString().replaceFirst("!/META-INF.*", "").replaceFirst("^jar:", "");
                jars.putIfAbsent(properties.getProperty("version", "unknown"), jar);
            }
        } catch (IOException e) {
            return ""; // a class path that cannot be searched has its own error when a class is not found
        }
        return jars.size() < 2
                ? ""
                : "the class path has several versions of Perhaps, of which one must stay: "
                        + String.join(
                                ", ",
                                jars.entrySet().stream()
                                        .map(entry -> entry.getKey() + " in " + entry.getValue())
                                        .toList());
    }
}
