package example;

import dev.perhaps.sketch.Added;
import dev.perhaps.Perhaps;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Which pages were not seen before? The filter is kept in a file between two runs, and takes 1.2 bytes per page. */
public final class SeenBefore {
    private SeenBefore() {}

    /** The pages that are certainly new; they are remembered. */
    public static List<String> newPages(Path memory, List<String> pages) throws IOException {
        BloomFilter<String> seen = Files.exists(memory)
                ? BloomFilter.open(memory, Key.strings())
                : BloomFilter.expecting(1_000_000).falsePositives(0.01).build();
        List<String> fresh = pages.stream()
                .filter(page -> seen.add(page) == Added.ADDED)
                .toList();
        seen.save(memory);
        return fresh;
    }

    public static void main(String[] args) throws IOException {
        Path memory = Files.createTempDirectory("example").resolve("seen.filter");
        System.out.println(newPages(memory, List.of("/", "/tea", "/")));
        System.out.println(newPages(memory, List.of("/tea", "/soap")));
        System.out.println(Perhaps.openFilter(memory, Key.strings()).describe());
    }
}
