package dev.perhaps.chord.simulation;

import dev.perhaps.chord.Member;
import dev.perhaps.chord.ProtocolMachine;
import dev.perhaps.chord.Settings;

/** Makes the machines that are simulated: {@code Peer::new}, or what is to be compared with it. */
@FunctionalInterface
public interface Protocol {
    ProtocolMachine start(Member self, Settings settings, long firstRequest);
}
