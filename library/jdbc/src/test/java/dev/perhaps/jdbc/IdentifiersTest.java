package dev.perhaps.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class IdentifiersTest {
    @Test
    void leavesNothingThatEndsTheName() {
        assertThat(Identifiers.with("\"").quoted("users\"; DROP TABLE users; --"))
                .isEqualTo("\"users\"\"; DROP TABLE users; --\"");
        assertThat(Identifiers.with("`").quoted("a`b")).isEqualTo("`a``b`");
    }

    /** A database without quotes says so with a space. */
    @Test
    void takesPlainWordsOnlyWhereThereAreNoQuotes() {
        assertThat(Identifiers.with(" ").quoted("users_2")).isEqualTo("users_2");
        assertThatThrownBy(() -> Identifiers.with(" ").quoted("users; --")).hasMessageContaining("'users; --'");
    }

    @Test
    void refusesWhatIsNoName() {
        assertThatThrownBy(() -> Identifiers.with("\"").quoted("")).hasMessageContaining("got ''");
        assertThatThrownBy(() -> Identifiers.with("\"").quoted("a\0b")).hasMessageContaining("got 'a\\0b'");
    }
}
