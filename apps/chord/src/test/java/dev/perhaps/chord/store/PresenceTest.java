package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.chord.store.Presence.State;
import dev.perhaps.chord.store.Presence.Word;
import dev.perhaps.chord.wire.FrameReadBuffer;
import dev.perhaps.chord.wire.WireFrame;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is here and who is not: the later word counts, in whatever order words come, over restarts too. */
class PresenceTest {
    @TempDir
    private Path folder;

    private final List<String> log = new ArrayList<>();
    private Path file = Path.of(".");

    @BeforeEach
    void inTheFolder() {
        file = folder.resolve("presence");
    }

    @CanIgnoreReturnValue
    private Presence open() throws IOException {
        return Presence.open(file, "me:1", log::add);
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
    void linesThatAreDamagedAreLeftOutAndTheOthersCount() throws Exception {
        String good = "floor 7\nself 3 1\n2 left b:1\n";
        String bad = "1 asleep c:1\n9223372036854775807 left d:1\n2 left e:1\r\n2 left f\nfloor -3\n\u0000\n";
        Files.writeString(file, good + bad);
        Presence presence = open();
        assertThat(presence.floor()).isEqualTo(7);
        assertThat(presence.here().number()).isEqualTo(4);
        assertThat(presence.words()).containsOnlyKeys("b:1", "me:1");
        assertThat(log).containsExactly(file + ": 6 lines are damaged and ignored; it is kept as presence.damaged");
        assertThat(folder.resolve("presence.damaged")).hasContent(good + bad);
        log.clear();
        open();
        assertThat(log).as("told once").isEmpty();
    }

    @Test
    void aFileOfNoiseCostsWhatItHeldAndNotTheStart() throws Exception {
        byte[] noise = new byte[5_000];
        new Random(1).nextBytes(noise);
        Files.write(file, noise);
        assertThat(open().here().number()).isEqualTo(1);
        assertThat(log).hasSize(1);
        Files.delete(file);
        Files.createDirectory(file);
        assertThat(open().here().number()).isEqualTo(1);
        assertThat(log.get(1)).contains("presence: it cannot be read: ");
    }

    @Test
    void aNumberOrAFloorThatRisesTooFarIsNotBelieved() throws Exception {
        Presence presence = open();
        presence.raise(FrameReadBuffer.MAX_COUNT);
        assertThat(presence.floor()).isZero();
        presence.hear(new Word("b:1", FrameReadBuffer.MAX_COUNT, State.LEFT));
        presence.hear(new Word("me:1", FrameReadBuffer.MAX_COUNT, State.HERE));
        assertThat(presence.words()).containsOnlyKeys("me:1");
        assertThat(presence.here().number()).isEqualTo(1);
        assertThat(presence.isGivenUp(new Word("me:1", FrameReadBuffer.MAX_COUNT, State.FORGOTTEN)))
                .isFalse();
        presence.raise(Presence.MAX_RISE);
        assertThat(presence.floor()).isEqualTo(Presence.MAX_RISE);
    }

    @Test
    void whatIsToldOfThousandsWithLongAddressesFitsIntoAFrame() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 700; i++) {
            lines.add("1 " + (i < 3 ? "left" : "here") + " h" + "x".repeat(93) + ":" + (1_000 + i));
        }
        Files.write(file, lines);
        Presence presence = open();
        WireFrame frame = presence.frame();
        assertThat(frame.body().length).isBetween(60_000, WireFrame.MAX_BYTES);
        List<Word> told = Presence.Heard.read(frame.read()).words();
        assertThat(told.subList(0, 3)).extracting(Word::state).containsOnly(State.LEFT);
    }
}
