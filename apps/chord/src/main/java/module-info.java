/** A ring of peers: the Chord protocol as a state machine, the simulation that tests it, and the network that drives it. */
module dev.perhaps.chord {
    requires transitive dev.perhaps;
    requires transitive dev.perhaps.web;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports dev.perhaps.chord;
    exports dev.perhaps.chord.cluster;
    exports dev.perhaps.chord.host;
    exports dev.perhaps.chord.store;
    exports dev.perhaps.chord.web;
}
