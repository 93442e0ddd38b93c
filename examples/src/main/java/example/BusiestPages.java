package example;

import dev.perhaps.frequency.TopK;
import java.util.List;
import java.util.stream.Stream;

/** Which pages come most often, in memory that does not grow with their number? */
public final class BusiestPages {
    private BusiestPages() {}

    public static List<String> busiest(int k, Stream<String> pages) {
        TopK<String> top = TopK.of(k).build();
        pages.forEach(top::add);
        return top.top().stream()
                .map(page -> page.value() + " came " + page.atLeast() + " to " + page.atMost() + " times")
                .toList();
    }

    public static void main(String[] args) {
        busiest(2, Stream.of("/", "/tea", "/", "/soap", "/", "/tea")).forEach(System.out::println);
    }
}
