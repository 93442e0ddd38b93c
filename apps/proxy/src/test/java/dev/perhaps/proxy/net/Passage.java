package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Counters;
import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Origin;
import dev.perhaps.proxy.http.HttpDate;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** A proxy in front of an origin, with a clock that goes as it is told. */
final class Passage implements Closeable {
    /** When the clock begins: 2026-01-01. */
    static final long START_MILLIS = 1_767_225_600_000L;

    private static final long PATIENCE_NANOS = 20_000_000_000L;

    final RawOrigin origin;
    final ProxyServer proxy;
    final Counters counters = new Counters();
    private final AtomicLong nowMillis = new AtomicLong(START_MILLIS);

    Passage(RawOrigin origin) throws IOException {
        this(origin, plan -> plan);
    }

    Passage(RawOrigin origin, UnaryOperator<ProxyPlan> change) throws IOException {
        this.origin = origin;
        InstantSource clock = () -> java.time.Instant.ofEpochMilli(nowMillis.get());
        ProxyPlan plan = ProxyServer.before(Origin.of(origin.url()))
                .name("perhaps")
                .clock(clock)
                .counters(counters)
                .limits(Limits.ofCache(8 << 20));
        proxy = change.apply(plan).listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    RawClient client() throws IOException {
        return new RawClient(proxy.address());
    }

    /** How many are connected now. */
    long clients() {
        return figure("perhaps_proxy_clients");
    }

    /** The number that the metrics have for this name. */
    long figure(String name) {
        return counters.text()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                .sum();
    }

    void pass(long seconds) {
        nowMillis.addAndGet(1000 * seconds);
    }

    /** Back to when the clock began. */
    void reset() {
        nowMillis.set(START_MILLIS);
    }

    /** Waits until something has happened, as far as patience goes. */
    void waitFor(BooleanSupplier happened) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE_NANOS;
        while (!happened.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("it did not happen in time\n" + counters.text());
            }
            Thread.sleep(2);
        }
    }

    /** Returns the date this number of seconds after the beginning, in the format of HTTP. */
    static String date(long seconds) {
        return HttpDate.write(START_MILLIS + 1000 * seconds);
    }

    @Override
    public void close() throws IOException {
        proxy.close();
        origin.close();
    }
}
