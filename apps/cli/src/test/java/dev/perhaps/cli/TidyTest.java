package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What can be checked of words, pages and names without judgement, over the whole repository. */
class TidyTest {
    private static final Path HOME = Path.of("..", "..");
    private static final int MAX_LINE = 140;
    private static final int MAX_COMMENT_LINE = 120;

    /** A package with more files than this misses a wall. */
    private static final int MAX_FILES = 45;

    /** Phrases that readers stumble over; each has a plain word. */
    private static final Pattern OLD_PHRASES = Pattern.compile(
            "if (nothing is|not) said|\\bso many\\b|apart by|h[eo]lds? against|askings|bits an? (item|key)|\\bof late\\b"
                    + "|[0-9] (bytes|bits|ns|lines|hashes|counters) an? [a-z]+|stretch of time|bitsAnItem"
                    + "|none of [a-z' ]+ business|\\bthe own\\b|\\b(this|that|it) is no (?!longer|more|less)[a-z]+"
                    + "|\\b([Aa]|[Oo]ne) (line|step|word|byte|bit|row|field|object) an? [a-z]+"
                    + "|nobody's interest|a vain |\\bin vain\\b|\\bfor ever\\b|\\ball the same\\b|\\b(of|or) so much\\b|\\bso much or\\b"
                    + "|\\bkept count of\\b|\\bis told (exactly|with|alike|as)\\b|\\b(of|for|with) whom\\b|\\bknow whom\\b"
                    + "|[a-z]A(Second|Bucket|Document|Node|Page|Line)\\b"
                    + "|\\b[Ww]hoever\\b|\\b(be|was|is) had\\b|\\banew\\b|\\btill\\b|\\bgoes? round\\b"
                    + "|(?<!here )\\bis no (terminal|regular|file|text|list|plain|part|error|item|number)\\b"
                    + "|[Ww]hat is (wanted|to be shown)|in the own |answered \"perhaps\"");

    /** A line of a comment, unless it is a part of a drawing, a table or an example, which have no place to break. */
    private static final Pattern PROSE = Pattern.compile("\\s*(?:\\*|/\\*|//)(?!.*(?:\\S {2,}\\S|[|│→{=])).*");

    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:|mailto:|#)([^)#\\s]+)(#[^)]*)?\\)");
    private static final Pattern PUBLIC_TYPE = Pattern.compile(
            "(?m)^public (?:abstract |final |sealed |non-sealed )*(?:class|interface|enum|record|@interface) (\\w+)");

    @Test
    void sourcesAndPagesUsePlainWords() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : sources()) {
            lines(file, OLD_PHRASES, found);
        }
        for (Path page : pages()) {
            lines(page, OLD_PHRASES, found);
        }
        for (Path script : scripts()) {
            lines(script, OLD_PHRASES, found);
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
                if (!Files.exists(page.resolveSibling(links.group(1)))) {
                    broken.add(page + " -> " + links.group(1));
                }
            }
        }
        assertThat(broken).isEmpty();
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
            String list = link.startsWith("benchmarks/") ? tables : index;
            if (!link.equals("README.md") && !listedElsewhere && !list.contains("(" + link + ")")) {
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

    private static void lines(Path file, Pattern pattern, List<String> found) throws IOException {
        int number = 0;
        for (String line : Files.readAllLines(file)) {
            number++;
            if (pattern.matcher(line).find()) {
                found.add(file + ":" + number + ": " + line.strip());
            }
        }
    }

    private static List<Path> sources() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String floor : List.of("library", "apps", "workshop")) {
            try (Stream<Path> below = Files.walk(HOME.resolve(floor))) {
                below.filter(file -> file.toString().contains("/src/main/java/")
                                && file.toString().endsWith(".java"))
                        .sorted()
                        .forEach(files::add);
            }
        }
        assertThat(files).hasSizeGreaterThan(300);
        return files;
    }

    /** The programs in bin, whose first lines are their help. */
    private static List<Path> scripts() throws IOException {
        try (Stream<Path> all = Files.list(HOME.resolve("bin"))) {
            List<Path> scripts = all.filter(Files::isRegularFile).sorted().toList();
            assertThat(scripts).contains(HOME.resolve("bin/perhaps"));
            return scripts;
        }
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
