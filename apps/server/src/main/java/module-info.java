/** A server that keeps filters and sketches by name and speaks the protocol of Redis. */
module dev.perhaps.server {
    requires transitive dev.perhaps;
    requires transitive dev.perhaps.web;
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports dev.perhaps.server;
}
