/**
 * Shared by all network programs of Perhaps: pages for operators, metrics, TLS from PEM files, logs, graceful shutdown.
 */
module dev.perhaps.web {
    requires transitive io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.codec.http;
    requires transitive io.netty.common;
    requires transitive io.netty.handler;
    requires transitive io.netty.transport;
    requires io.netty.transport.classes.epoll;
    requires io.netty.transport.unix.common;
    requires java.logging;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports dev.perhaps.web;
    exports dev.perhaps.web.admin;
    exports dev.perhaps.web.metrics;
}
