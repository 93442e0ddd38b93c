package dev.perhaps.chord.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Who gets in when many want to, and how much is said about it. */
class AdmissionTest {
    private final Admission<String> admission = new Admission<>();

    @Test
    void silentStrangersMakeRoomForTheNextAndNeverShutAnybodyOut() {
        for (int i = 0; i < Admission.MAX_STRANGERS_PER_ADDRESS; i++) {
            assertThat(admission.arrived("silent" + i, "a")).isNull();
        }
        for (int i = 0; i < 2_000; i++) {
            assertThat(admission.arrived("peer" + i, "a")).as("the oldest goes").isNotNull();
            assertThat(admission.admits("peer" + i, Session.Use.MESSAGES)).isEqualTo(i < 1_024);
            assertThat(admission.arrived("more" + i, "a")).isNull();
        }
        assertThat(admission.strangers()).isEqualTo(Admission.MAX_STRANGERS_PER_ADDRESS);
    }

    @Test
    void oneAddressDoesNotDriveOutTheStrangersOfOthers() {
        assertThat(admission.arrived("honest", "b")).isNull();
        for (int i = 0; i < 3_000; i++) {
            admission.arrived("silent" + i, "a");
        }
        assertThat(admission.strangers()).isEqualTo(Admission.MAX_STRANGERS_PER_ADDRESS + 1);
        assertThat(admission.admits("honest", Session.Use.COMMANDS)).isTrue();
    }

    @Test
    void manyAddressesTogetherStayWithinTheLimit() {
        for (int i = 0; i < 3_000; i++) {
            admission.arrived("silent" + i, "a" + i);
        }
        assertThat(admission.strangers()).isEqualTo(Admission.MAX_STRANGERS);
        assertThat(admission.admits("silent0", Session.Use.COMMANDS))
                .as("it was driven out")
                .isFalse();
        assertThat(admission.admits("silent2999", Session.Use.COMMANDS)).isTrue();
    }

    @Test
    void commandsOfOneAddressLeavePlacesForOthersAndForPeers() {
        for (int i = 0; i < 600; i++) {
            admission.arrived("c" + i, "a");
            assertThat(admission.admits("c" + i, Session.Use.COMMANDS))
                    .isEqualTo(i < Admission.MAX_COMMANDS_PER_ADDRESS);
        }
        admission.arrived("other", "b");
        assertThat(admission.admits("other", Session.Use.COMMANDS)).isTrue();
        admission.arrived("peer", "a");
        assertThat(admission.admits("peer", Session.Use.PEER_CALLS)).isTrue();
        admission.left("c0");
        admission.left("c0");
        for (int i = 0; i < 2; i++) {
            admission.arrived("again" + i, "a");
            assertThat(admission.admits("again" + i, Session.Use.COMMANDS)).isEqualTo(i == 0);
        }
    }

    @Test
    void linesAboutStrangersAreFewAndTheRestIsCounted() {
        AtomicLong nanos = new AtomicLong();
        List<String> said = new ArrayList<>();
        StrangerLog log = new StrangerLog(said::add, nanos::get);
        for (int i = 0; i < 1_000; i++) {
            log.accept("garbage " + i);
        }
        assertThat(said).hasSize(StrangerLog.MAX_LINES);
        log.flush();
        assertThat(said).hasSize(StrangerLog.MAX_LINES);
        nanos.set(10_000_000_000L);
        log.flush();
        assertThat(said).last().isEqualTo("980 more lines about strangers left out");
        log.accept("new garbage");
        assertThat(said).hasSize(StrangerLog.MAX_LINES + 2);
    }

    @Test
    void textOfOthersIsShownWithoutWhatATerminalObeys() {
        assertThat(Printable.of("plain, \u00e4\u20ac \ud83d\ude00")).isEqualTo("plain, \u00e4\u20ac \ud83d\ude00");
        assertThat(Printable.of("\u001b[2J\r\n\t\u0000\u007f\u009b\u202e\u2028\ud83d"))
                .isEqualTo("\\u001b[2J\\u000d\\u000a\\u0009\\u0000\\u007f\\u009b\\u202e\\u2028\\ud83d");
    }
}
