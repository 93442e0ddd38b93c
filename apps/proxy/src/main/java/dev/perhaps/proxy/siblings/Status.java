package dev.perhaps.proxy.siblings;

import dev.perhaps.proxy.sharing.SiblingView;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A proxy and its siblings as they are now.
 *
 * @param name of the proxy
 * @param documents it holds
 * @param bits of its digest
 * @param version of its digest
 * @param originNanos the recent time of the origin
 */
record Status(String name, long documents, long bits, long version, double originNanos, List<Of> siblings) {
    /**
     * One sibling.
     *
     * @param address null if it has just gone
     */
    record Of(@Nullable InetSocketAddress address, SiblingView.Report report) {}
}
