package dev.perhaps.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs every page of docs/recipes as a reader would: the blocks marked sh and java in their order, in a folder with the
 * samples, {@code perhaps} on the path and the library on the class path. What a block prints must be the block marked text that follows it, or
 * nothing without one.
 */
class RecipesIT {
    private static final Path RECIPES = Path.of("..", "..", "docs", "recipes");
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
    private static final String CLASS_PATH = System.getProperty("java.class.path");
    private static final Pattern CLASS = Pattern.compile("^class (\\w+)", Pattern.MULTILINE);
    private static final int MAX_BLOCK_SECONDS = 60;

    @TempDir
    Path folder;

    static Stream<Path> pages() throws IOException {
        return filesIn(RECIPES).filter(file -> file.toString().endsWith(".md"));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void printsWhatThePageShows(Path page) throws Exception {
        for (Path sample : filesIn(RECIPES.resolve("data")).toList()) {
            Files.copy(sample, folder.resolve(sample.getFileName()));
        }
        Path bin = Files.createDirectory(folder.resolve(".bin"));
        Path launcher = Files.writeString(bin.resolve("perhaps"), """
            #!/bin/sh
            exec '%s' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC dev.perhaps.cli.Main "$@"
            """.formatted(JAVA));
        assertThat(launcher.toFile().setExecutable(true)).isTrue();

        List<Block> blocks = blocks(Files.readString(page));
        int run = 0;
        for (int i = 0; i < blocks.size(); i++) {
            Block block = blocks.get(i);
            if (block.language.equals("sh") || block.language.equals("java")) {
                boolean shown =
                        i + 1 < blocks.size() && blocks.get(i + 1).language.equals("text");
                assertThat(outputOf(block))
                        .as("%s line %d:%n%s", page.getFileName(), block.line, block.text)
                        .isEqualTo(shown ? blocks.get(i + 1).text : "");
                run++;
            }
        }
        assertThat(run).as("blocks that were run").isPositive();
    }

    private record Block(String language, int line, String text) {}

    private static List<Block> blocks(String page) {
        List<Block> blocks = new ArrayList<>();
        List<String> lines = page.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith("```")) {
                int start = i + 1;
                StringBuilder text = new StringBuilder();
                while (!lines.get(++i).equals("```")) {
                    text.append(lines.get(i)).append('\n');
                }
                blocks.add(new Block(lines.get(start - 1).substring(3), start, text.toString()));
            }
        }
        return blocks;
    }

    private String outputOf(Block block) throws IOException, InterruptedException {
        List<String> command = List.of("sh", "-u", "-c", block.text);
        if (block.language.equals("java")) {
            Matcher name = CLASS.matcher(block.text);
            assertThat(name.find()).as("a class in %s", block.text).isTrue();
            Path source = Files.writeString(folder.resolve(name.group(1) + ".java"), block.text);
            command = List.of(JAVA.toString(), source.toString());
        }
        Path errors = folder.resolve(".errors");
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.redirectError(errors.toFile());
        builder.environment().merge("PATH", folder.resolve(".bin").toString(), (path, bin) -> bin + ":" + path);
        builder.environment().put("CLASSPATH", CLASS_PATH);
        builder.environment().put("LC_ALL", "C.UTF-8");
        Process process = builder.start();
        process.getOutputStream().close();
        String output;
        try (InputStream out = process.getInputStream()) {
            output = new String(out.readAllBytes(), UTF_8);
        }
        assertThat(process.waitFor(MAX_BLOCK_SECONDS, TimeUnit.SECONDS)).isTrue();
        String complaints = Files.readString(errors);
        assertThat(process.exitValue()).as("exit code; %s", complaints).isZero();
        assertThat(complaints.lines().filter(line -> line.startsWith("perhaps: ")))
                .isEmpty();
        return output;
    }

    private static Stream<Path> filesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile).sorted().toList().stream();
        }
    }
}
