package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExamplesTest {
    @Test
    void pagesAreNewOnceEvenInTheNextRun(@TempDir Path folder) throws Exception {
        Path memory = folder.resolve("seen.filter");
        assertEquals(List.of("/", "/tea"), SeenBefore.newPages(memory, List.of("/", "/tea", "/")));
        assertEquals(List.of("/soap"), SeenBefore.newPages(memory, List.of("/tea", "/soap")));
    }

    @Test
    void theBusiestPagesComeFirst() {
        assertEquals(
                List.of("/ came 3 to 3 times", "/tea came 2 to 2 times"),
                BusiestPages.busiest(2, Stream.of("/", "/tea", "/", "/soap", "/", "/tea")));
    }
}
