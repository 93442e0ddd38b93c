package dev.perhaps.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class JumpHashTest {
    @Test
    void growsAndShrinksAtTheEnd() {
        JumpHash<String> two = JumpHash.of(List.of("a", "b"));
        JumpHash<String> three = two.with("c");
        assertThat(three.weights().keySet()).containsExactly("a", "b", "c");
        assertThat(three.withoutLast().weights()).isEqualTo(two.weights());
        assertThatThrownBy(() -> two.with("a")).hasMessage("a node is named twice in [a, b, a]");
    }

    @Test
    void findsAllHostsWhereAlmostAllNodesAreOnOne() {
        List<Integer> nodes = java.util.stream.IntStream.range(0, 500).boxed().toList();
        JumpHash<Integer> jump = JumpHash.of(nodes);
        for (long hash = 0; hash < 50; hash++) {
            assertThat(jump.owners(hash, 2, node -> node == 499)).hasSize(2);
        }
    }
}
