package dev.perhaps;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The library as a named module, as a program with a module descriptor has it; the other tests run on the class path. */
class ModulePathIT {
    private static final String DESCRIPTOR = "module user { requires dev.perhaps; }";

    @TempDir
    Path folder;

    @Test
    void aModularProgramBuildsSavesAndOpensAFilter() throws Exception {
        String program = """
                package user;
                import dev.perhaps.Perhaps;
                import dev.perhaps.key.Key;
                import dev.perhaps.membership.BloomFilter;
                public class Main {
                    public static void main(String[] args) throws Exception {
                        BloomFilter<String> seen = BloomFilter.expecting(1_000).build();
                        seen.add("here");
                        var again = Perhaps.filterFromBytes(seen.toBytes(), Key.strings());
                        System.out.print(BloomFilter.class.getModule().getName() + " " + again.mightContain("here"));
                    }
                }
                """;
        assertThat(compile(program)).isEmpty();
        Path out = folder.resolve("out");
        Process java = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-p",
                        modules() + File.pathSeparator + folder.resolve("classes"),
                        "-m",
                        "user/user.Main")
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        assertThat(java.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(out, StandardCharsets.UTF_8)).isEqualTo("dev.perhaps true");
    }

    @Test
    void aBackRoomIsClosed() throws Exception {
        String program = """
                package user;
                public class Main {
                    Object hidden = dev.perhaps.membership.bloom.BloomKernel.class;
                }
                """;
        assertThat(compile(program)).contains("package dev.perhaps.membership.bloom is not visible");
    }

    /** Returns what the compiler says. */
    private String compile(String program) throws IOException {
        Path source = Files.createDirectories(folder.resolve("source/user"));
        Path descriptor = Files.writeString(folder.resolve("source/module-info.java"), DESCRIPTOR);
        Path main = Files.writeString(source.resolve("Main.java"), program);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<String> options =
                    List.of("-p", modules(), "-d", folder.resolve("classes").toString(), "-Xlint:none", "-proc:none");
            compiler.getTask(said, files, null, options, null, files.getJavaFileObjects(descriptor, main))
                    .call();
        }
        return said.toString();
    }

    private static String modules() {
        String hashing = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> entry.contains("hash4j"))
                .findFirst()
                .orElseThrow();
        return Path.of("target", "classes").toAbsolutePath() + File.pathSeparator + hashing;
    }
}
