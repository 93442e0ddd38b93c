/** A ring of peers: the Chord protocol as a state machine, and the simulation that tests it. */
module dev.perhaps.chord {
    requires transitive dev.perhaps;
    requires static org.jspecify;

    exports dev.perhaps.chord;
    exports dev.perhaps.chord.model;
    exports dev.perhaps.chord.simulation;
}
