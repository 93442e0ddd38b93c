/** A ring of peers: the Chord protocol as a state machine. */
module dev.perhaps.chord {
    requires transitive dev.perhaps;
    requires static org.jspecify;

    exports dev.perhaps.chord;
    exports dev.perhaps.chord.model;
}
