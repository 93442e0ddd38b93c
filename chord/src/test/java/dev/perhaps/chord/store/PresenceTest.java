package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.store.Presence.State;
import dev.perhaps.chord.store.Presence.Word;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is here and who is not: the later word counts, in whatever order words come, over restarts too. */
class PresenceTest {
    @TempDir
    private Path folder;

    private Path file = Path.of(".");

    @BeforeEach
    void inTheFolder() {
        file = folder.resolve("presence");
    }

    private Presence open() throws IOException {
        return Presence.open(file, "me:1");
    }

    @Test
    void anOldWordNeverCountsAgainstWhoCameBack() throws Exception {
        Presence presence = open();
        Word left = new Word("b:1", 1, State.LEFT);
        Word back = new Word("b:1", 2, State.HERE);
        presence.hear(left);
        presence.hear(back);
        presence.hear(left);
        assertThat(presence.words()).containsEntry("b:1", back);
        presence.hear(new Word("b:1", 2, State.FORGOTTEN));
        presence.hear(back);
        assertThat(open().words()).containsEntry("b:1", new Word("b:1", 2, State.FORGOTTEN));
    }

    @Test
    void whoWasGivenUpIsToldOnceHoweverOftenItStartedMeanwhile() throws Exception {
        open();
        open();
        Presence third = open();
        Word forgotten = new Word("me:1", 2, State.FORGOTTEN);
        assertThat(third.here().number()).isEqualTo(3);
        assertThat(third.isGivenUp(forgotten)).isTrue();
        assertThat(third.isGivenUp(new Word("other:1", 2, State.FORGOTTEN))).isFalse();
        assertThat(third.isGivenUp(new Word("me:1", 2, State.LEFT)))
                .as("who left has set aside what it had")
                .isFalse();
        third.hear(forgotten);
        assertThat(third.isGivenUp(forgotten)).as("what it has now counts").isFalse();
        assertThat(third.here().number()).isEqualTo(3);
        assertThat(open().isGivenUp(forgotten)).isFalse();
        Word again = new Word("me:1", 9, State.FORGOTTEN);
        assertThat(open().isGivenUp(again)).isTrue();
        Presence last = open();
        last.hear(again);
        assertThat(last.here().number()).as("above what others believe").isEqualTo(10);
    }

    @Test
    void theFloorOnlyRises() throws Exception {
        Presence presence = open();
        presence.raise(7);
        presence.raise(3);
        assertThat(open().floor()).isEqualTo(7);
        assertThat(Presence.Heard.read(open().frame().read()).floor()).isEqualTo(7);
    }

    @Test
    void aFileThatIsNotOursIsRefused() throws Exception {
        Files.writeString(file, "1 asleep b:1\n");
        assertThatThrownBy(this::open).hasMessageContaining("it was not written by a peer");
    }
}
