package dev.perhaps.web;

import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;

/**
 * What Netty logs: a warning is one line, and there are few of them however often a client causes one; anything less is
 * dropped. Netty itself writes a stack trace for each connection that breaks a rule of HTTP/2.
 */
final class NettyLog extends Handler {
    private final Consumer<String> log;
    private final SimpleFormatter formatter = new SimpleFormatter();

    NettyLog(Consumer<String> log) {
        this.log = new StrangerLog(log);
    }

    @Override
    public void publish(LogRecord entry) {
        OutOfMemoryGuard.check(entry.getThrown());
        if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
            Throwable thrown = entry.getThrown();
            log.accept("netty: " + formatter.formatMessage(entry) + (thrown == null ? "" : ": " + thrown));
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
