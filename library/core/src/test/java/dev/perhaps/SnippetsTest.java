package dev.perhaps;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every piece of Java in README, docs and javadoc compiles against the library as it is. */
class SnippetsTest {
    private static final Path HOME = Path.of("..", "..");
    private static final Pattern IN_MARKDOWN = Pattern.compile("(?ms)^```java\\n(.*?)^```$");
    private static final Pattern IN_JAVADOC = Pattern.compile("(?s)<pre>\\{@code\\n(.*?)\\n\\s*\\*\\s*}</pre>");
    private static final String IMPORTS = """
            import dev.perhaps.*;
            import dev.perhaps.foreign.*;
            import dev.perhaps.frequency.*;
            import dev.perhaps.guard.*;
            import dev.perhaps.key.*;
            import dev.perhaps.membership.*;
            import dev.perhaps.plan.*;
            import dev.perhaps.similarity.*;
            import dev.perhaps.similarity.baskets.*;
            import dev.perhaps.similarity.duplicates.*;
            import dev.perhaps.similarity.index.*;
            import dev.perhaps.sketch.*;
            import dev.perhaps.placement.*;
            import java.io.*;
            import java.net.*;
            import java.nio.charset.*;
            import java.nio.file.*;
            import java.time.*;
            import java.util.*;
            import static java.nio.charset.StandardCharsets.*;
            """;

    @TempDir
    Path classes;

    @Test
    void everySnippetCompiles() throws IOException {
        List<Source> sources = new ArrayList<>();
        for (Path page : files(HOME.resolve("README.md"), HOME.resolve("docs"))) {
            // Those on Spark are compiled where Spark is: DocumentTest in library/spark.
            if (page.toString().endsWith(".md") && !page.endsWith("spark.md")) {
                collect(page, IN_MARKDOWN, "", sources);
            }
        }
        for (Path file : files(Path.of("src/main/java"))) {
            collect(file, IN_JAVADOC, "(?m)^\\s*\\* ?", sources);
        }
        assertThat(sources).hasSizeGreaterThan(5);

        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options = List.of(
                "-d",
                classes.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-proc:none",
                "-Xmaxerrs",
                "9999");
        boolean compiled =
                compiler.getTask(null, null, said, options, null, sources).call();
        List<String> errors = said.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .map(diagnostic -> diagnostic.getSource() instanceof Source source
                        ? source.from + ": " + diagnostic + "\n" + source.text
                        : diagnostic.toString())
                .toList();
        assertThat(errors).isEmpty();
        assertThat(compiled).isTrue();
    }

    private static List<Path> files(Path... roots) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path root : roots) {
            try (Stream<Path> below = Files.walk(root)) {
                below.filter(Files::isRegularFile).sorted().forEach(files::add);
            }
        }
        return files;
    }

    private static void collect(Path file, Pattern pattern, String margin, List<Source> sources) throws IOException {
        Matcher matcher = pattern.matcher(Files.readString(file));
        while (matcher.find()) {
            sources.add(new Source(file, sources.size(), matcher.group(1).replaceAll(margin, "")));
        }
    }

    /** A snippet as a class: its own imports stay above, the rest is the body of a method. */
    private static final class Source extends SimpleJavaFileObject {
        private final Path from;
        private final String text;

        Source(Path from, int number, String snippet) {
            super(URI.create("string:///Snippet" + number + ".java"), Kind.SOURCE);
            this.from = from;
            String imports =
                    snippet.lines().filter(line -> line.startsWith("import ")).collect(Collectors.joining("\n"));
            String body =
                    snippet.lines().filter(line -> !line.startsWith("import ")).collect(Collectors.joining("\n"));
            this.text = IMPORTS + imports + "\nclass Snippet" + number + " { static void run() throws Exception {\n"
                    + body + "\n} }\n";
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
