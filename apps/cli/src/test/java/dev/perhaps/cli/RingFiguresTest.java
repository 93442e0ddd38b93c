package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.placement.RingCommand;
import org.junit.jupiter.api.Test;

/** What 'perhaps ring' says of a peer. */
class RingFiguresTest {
    @Test
    void oneFileIsOneFileAndWhatIsWellIsNotMentioned() {
        assertThat(RingCommand.figure("files", 1)).hasValue("1 file");
        assertThat(RingCommand.figure("files", 2)).hasValue("2 files");
        assertThat(RingCommand.figure("lacking", 0)).hasValue("0 lacking");
        assertThat(RingCommand.figure("damaged", 0)).isEmpty();
        assertThat(RingCommand.figure("repairStopped", 0)).isEmpty();
        assertThat(RingCommand.figure("repairStopped", 1)).hasValue("repair stopped");
        assertThat(RingCommand.figure("scrubbedHours", -1)).isEmpty();
    }
}
