/** What every network program of Perhaps needs once: TLS from PEM files, and a clean end when memory runs out. */
module dev.perhaps.web {
    requires io.netty.buffer;
    requires transitive io.netty.common;
    requires transitive io.netty.handler;
    requires transitive io.netty.transport;
    requires java.logging;
    requires static org.jspecify;

    exports dev.perhaps.web;
}
