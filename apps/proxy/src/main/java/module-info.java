/** A caching reverse proxy that shares what it holds with its siblings. */
module dev.perhaps.proxy {
    requires transitive dev.perhaps;
    requires transitive dev.perhaps.chord;
    requires transitive dev.perhaps.web;
    requires com.github.benmanes.caffeine;
    requires io.netty.buffer;
    requires io.netty.codec.http2;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires java.net.http;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports dev.perhaps.proxy;
    exports dev.perhaps.proxy.net;
    exports dev.perhaps.proxy.siblings;
}
