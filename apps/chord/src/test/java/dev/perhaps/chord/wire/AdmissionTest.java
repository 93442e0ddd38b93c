package dev.perhaps.chord.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Who gets in when many want to. */
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
}
