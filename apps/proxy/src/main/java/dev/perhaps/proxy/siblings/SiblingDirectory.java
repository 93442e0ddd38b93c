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
    /** Returns the current siblings by name. It may block; if it fails, the previous siblings stay. */
    Map<String, InetSocketAddress> siblings() throws IOException;

    /** Removes the proxy's own entry, if it has one; called when the proxy stops. */
    default void leave() throws IOException {}
}
