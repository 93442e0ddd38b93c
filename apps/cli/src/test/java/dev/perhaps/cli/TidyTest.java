package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.engine.process.SparkProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What can be checked of words, pages and names without judgement, over the whole repository. */
class TidyTest {
    private static final Path HOME = Path.of("..", "..");
    private static final int MAX_LINE = 140;
    private static final int MAX_COMMENT_LINE = 120;

    private static final String[] FLOORS = {"library", "apps", "workshop"};

    /** Where tests are read: not in library/spark. */
    private static final String[] TESTED = {"library/core", "library/jdbc", "apps", "workshop"};

    /** A package with more files than this misses a wall. */
    private static final int MAX_FILES = 45;

    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:|mailto:)([^)#\\s]*)(?:#([^)\\s]*))?\\)");
    private static final Pattern HEADING = Pattern.compile("#{1,6} (.*)");
    private static final Pattern PAGE_AS_CODE = Pattern.compile("(?<!\\[)`([\\w./-]+\\.md)`(?!\\])");

    /** A line of a comment, unless it is a part of a drawing, a table or an example, which have no place to break. */
    private static final Pattern PROSE = Pattern.compile("\\s*(?:\\*|/\\*|//)(?!.*(?:\\S {2,}\\S|[|│→{=])).*");

    private static final Pattern PUBLIC_TYPE = Pattern.compile(
            "(?m)^public (?:abstract |final |sealed |non-sealed )*(?:class|interface|enum|record|@interface) (\\w+)");

    @Test
    void sourcesAndPagesUsePlainWords() throws IOException {
        List<Path> files = new ArrayList<>(sources());
        files.addAll(tests());
        files.addAll(pages());
        files.addAll(programs());
        List<String> found = new ArrayList<>();
        for (Path file : files) {
            if (file.getFileName().toString().startsWith("PlainWords")) {
                continue; // the list, and its examples
            }
            int number = 0;
            for (String line : Files.readAllLines(file)) {
                number++;
                int at = number;
                PlainWords.banned(line).ifPresent(phrase -> found.add(file + ":" + at + ": '" + phrase + "'"));
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void linesOfPagesFitAScreen() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path page : pages()) {
            boolean code = false;
            int number = 0;
            for (String line : Files.readAllLines(page)) {
                number++;
                code ^= line.startsWith("```");
                // A row of a table and a link have no place to break.
                if (!code && line.length() > MAX_LINE && !line.startsWith("|") && !line.startsWith("    ")) {
                    found.add(page + ":" + number + " has " + line.length() + " characters");
                }
            }
        }
        assertThat(found).isEmpty();
    }

    /** Of the library and the workshop. */
    @Test
    void linesOfCommentsFitBesideTheCode() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : sources()) {
            int number = 0;
            for (String line : Files.readAllLines(file)) {
                number++;
                if (!file.startsWith(HOME.resolve("apps"))
                        && line.length() > MAX_COMMENT_LINE
                        && PROSE.matcher(line).matches()) {
                    found.add(file + ":" + number + " has " + line.length() + " characters");
                }
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void linksBetweenPagesWork() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : pages()) {
            Matcher links = LINK.matcher(Files.readString(page));
            while (links.find()) {
                Path target = links.group(1).isEmpty() ? page : page.resolveSibling(links.group(1));
                boolean found = Files.exists(target)
                        && (links.group(2) == null || anchors(target).contains(links.group(2)));
                if (!found) {
                    broken.add(page + " -> " + links.group());
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void pagesThatAreNamedAreLinked() throws IOException {
        List<String> named = new ArrayList<>();
        for (Path page : pages()) {
            boolean code = false;
            for (String line : Files.readAllLines(page)) {
                code ^= line.startsWith("```");
                Matcher names = PAGE_AS_CODE.matcher(code || line.startsWith("    ") ? "" : line);
                while (names.find()) {
                    String name = names.group(1);
                    if (Files.exists(page.resolveSibling(name)) || Files.exists(HOME.resolve(name))) {
                        named.add(page + ": " + names.group());
                    }
                }
            }
        }
        assertThat(named).isEmpty();
    }

    /** Returns what can follow # in a link to this page: its headings, as GitHub and GitLab name them. */
    private static Set<String> anchors(Path page) throws IOException {
        Set<String> anchors = new HashSet<>();
        boolean code = false;
        for (String line : Files.readAllLines(page)) {
            code ^= line.startsWith("```");
            Matcher heading = HEADING.matcher(line);
            if (!code && heading.matches()) {
                String name = heading.group(1)
                        .strip()
                        .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                        .replace(' ', '-');
                String unique = name;
                for (int i = 1; !anchors.add(unique); i++) {
                    unique = name + "-" + i;
                }
            }
        }
        return anchors;
    }

    @Test
    void everyDecisionIsInTheIndex() throws IOException {
        Path folder = HOME.resolve("docs/decisions");
        String index = Files.readString(folder.resolve("README.md"));
        try (Stream<Path> all = Files.list(folder)) {
            assertThat(all.map(page -> page.getFileName().toString()).filter(name -> !name.equals("README.md")))
                    .isNotEmpty()
                    .allMatch(name -> index.contains("(" + name + ")"));
        }
    }

    @Test
    void everyOtherPageIsInTheIndex() throws IOException {
        Path docs = HOME.resolve("docs");
        String index = Files.readString(docs.resolve("README.md"));
        String tables = Files.readString(docs.resolve("benchmarks.md"));
        List<String> missing = new ArrayList<>();
        for (Path page : pages()) {
            String link = docs.relativize(page).toString();
            boolean listedElsewhere = link.startsWith("decisions/") && !link.equals("decisions/README.md");
            String lists = link.startsWith("benchmarks/") ? tables + index : index;
            if (!link.equals("README.md") && !listedElsewhere && !lists.contains("(" + link + ")")) {
                missing.add(link);
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void noTwoPublicClassesShareAName() throws IOException {
        Map<String, Path> first = new HashMap<>();
        List<String> twice = new ArrayList<>();
        for (Path file : sources()) {
            Matcher type = PUBLIC_TYPE.matcher(Files.readString(file));
            if (type.find()) {
                Path other = first.put(type.group(1), file);
                if (other != null) {
                    twice.add(other + " and " + file);
                }
            }
        }
        assertThat(first).hasSizeGreaterThan(100);
        assertThat(twice).isEmpty();
    }

    @Test
    void noPackageIsTooLargeToBeKnown() throws IOException {
        Map<Path, Integer> files = new HashMap<>();
        for (Path file : sources()) {
            if (!file.endsWith("package-info.java") && !file.endsWith("module-info.java")) {
                files.merge(file.getParent(), 1, Integer::sum);
            }
        }
        assertThat(files)
                .hasSizeGreaterThan(40)
                .allSatisfy((folder, count) ->
                        assertThat(count).as("files in %s", folder).isLessThanOrEqualTo(MAX_FILES));
    }

    /** Spark 4 does not run on every Java that Perhaps runs on. */
    @Test
    void whatRunsSparkIsLeftOutOnNewerJava() throws IOException {
        Set<String> withoutSpark = Set.of(
                "ApiSnapshotTest.java", "ArchitectureTest.java", "SparkBenchOptionsTest.java", "SparkHomeTest.java");
        Pattern condition =
                Pattern.compile("@EnabledForJreRange\\(max = JRE.JAVA_" + SparkProcess.MAX_JAVA + "\\)\\s+(?!@Test)");
        List<String> missing = new ArrayList<>();
        int tests = 0;
        for (String module : List.of("library/spark", "apps/cli-spark", "workshop/bench-spark")) {
            try (Stream<Path> below = Files.walk(HOME.resolve(module).resolve("src/test/java"))) {
                for (Path file : below.filter(path -> path.toString().matches(".*(Test|IT)\\.java"))
                        .toList()) {
                    tests++;
                    if (!withoutSpark.contains(file.getFileName().toString())
                            && !condition.matcher(Files.readString(file)).find()) {
                        missing.add(file.toString());
                    }
                }
            }
        }
        assertThat(tests).isGreaterThan(20);
        assertThat(missing)
                .as("tests without @EnabledForJreRange(max = JRE.JAVA_" + SparkProcess.MAX_JAVA + ")")
                .isEmpty();
        assertThat(Files.readString(HOME.resolve("bin/test"))).contains("\nspark_java=" + SparkProcess.MAX_JAVA + "\n");
    }

    private static List<Path> sources() throws IOException {
        List<Path> files = below(path -> path.contains("/src/main/java/") && path.endsWith(".java"), FLOORS);
        assertThat(files).hasSizeGreaterThan(300);
        return files;
    }

    private static List<Path> tests() throws IOException {
        List<Path> files = below(path -> path.contains("/src/test/java/") && path.endsWith(".java"), TESTED);
        assertThat(files).hasSizeGreaterThan(300);
        return files;
    }

    /** Returns scripts and the programs that they run, what the browser gets, and what is installed and deployed. */
    private static List<Path> programs() throws IOException {
        List<Path> files = below(path -> !path.contains("/target/"), "bin", ".github", "deploy", "examples");
        files.addAll(
                below(path -> path.contains("/src/main/resources/") && path.matches(".*\\.(js|css|html)"), "apps"));
        files.addAll(below(path -> !path.contains("/licenses/"), "apps/cli/src/dist"));
        assertThat(files).contains(HOME.resolve("bin/perhaps")).hasSizeGreaterThan(40);
        return files;
    }

    private static List<Path> below(Predicate<String> wanted, String... folders) throws IOException {
        List<Path> files = new ArrayList<>();
        for (String folder : folders) {
            try (Stream<Path> below = Files.walk(HOME.resolve(folder))) {
                below.filter(Files::isRegularFile)
                        .filter(file -> wanted.test(file.toString()))
                        .sorted()
                        .forEach(files::add);
            }
        }
        return files;
    }

    private static List<Path> pages() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String page : List.of(
                "README.md",
                "CHANGELOG.md",
                "CONTRIBUTING.md",
                "SECURITY.md",
                "deploy/README.md",
                "examples/README.md")) {
            files.add(HOME.resolve(page));
        }
        try (Stream<Path> below = Files.walk(HOME.resolve("docs"))) {
            below.filter(file -> file.toString().endsWith(".md")).sorted().forEach(files::add);
        }
        return files;
    }
}
