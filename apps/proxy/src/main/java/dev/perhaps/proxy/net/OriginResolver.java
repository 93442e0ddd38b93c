package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Origin;
import dev.perhaps.proxy.Timeouts;
import java.io.Closeable;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** Where the origin is. Its name is looked up again and again by a thread that may wait: event loops must not. */
final class OriginResolver implements Closeable {
    private static final long SECONDS = 30;

    private final Origin origin;
    private final Timeouts timeouts;
    private final Thread thread = new Thread(this::watch, "originResolver");
    private volatile Destination current;

    OriginResolver(Origin origin, Timeouts timeouts) {
        this.origin = origin;
        this.timeouts = timeouts;
        this.current = look();
        thread.setDaemon(true);
        thread.start();
    }

    Destination current() {
        return current;
    }

    private Destination look() {
        InetSocketAddress address = new InetSocketAddress(origin.host(), origin.port());
        return new Destination(
                address, origin.tls(), timeouts.connectMillis(), timeouts.responseMillis(), timeouts.originMillis());
    }

    private void watch() {
        try {
            while (true) {
                TimeUnit.SECONDS.sleep(SECONDS);
                Destination next = look();
                if (!next.address().isUnresolved()) {
                    current = next; // a name that cannot be looked up now is where it was
                }
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
