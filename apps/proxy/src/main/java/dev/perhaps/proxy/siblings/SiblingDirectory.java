package dev.perhaps.proxy.siblings;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;

/**
 * A directory of the siblings of a proxy. {@link SiblingSharing} asks it at each interval, from one thread at a time,
 * and closes it when the proxy stops.
 */
@FunctionalInterface
public interface SiblingDirectory {
    /** The siblings by name, as they are now. It may wait; if it fails, those of the last time stay siblings. */
    Map<String, InetSocketAddress> siblings() throws IOException;

    /** The proxy stops: takes its own entry out, if it has one. */
    default void leave() throws IOException {}
}
