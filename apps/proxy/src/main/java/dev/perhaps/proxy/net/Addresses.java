package dev.perhaps.proxy.net;

import dev.perhaps.proxy.cache.Budget;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Who is connected, by address, so that no address takes all connections or all memory. Of IPv6 the first 64 bits
 * count: a client that has one such address has all of them. Safe for any number of threads.
 */
final class Addresses {
    private final int maxConnections;
    private final long maxBytes;
    private final ConcurrentHashMap<Long, Address> addresses = new ConcurrentHashMap<>();

    Addresses(int maxConnections, long maxBytes) {
        this.maxConnections = maxConnections;
        this.maxBytes = maxBytes;
    }

    /** One address. */
    final class Address {
        private final long key;
        private final Budget memory = new Budget(maxBytes);
        private int connections;

        private Address(long key) {
            this.key = key;
        }

        Budget memory() {
            return memory;
        }

        /** One connection less. */
        void leave() {
            addresses.compute(key, (same, address) -> --connections == 0 ? null : address);
        }
    }

    /** One connection more; null if this address has too many. */
    @Nullable
    Address enter(@Nullable SocketAddress remote) {
        boolean[] entered = {true};
        Address address = addresses.compute(key(remote), (key, known) -> {
            Address one = known == null ? new Address(key) : known;
            entered[0] = one.connections < maxConnections;
            one.connections += entered[0] ? 1 : 0;
            return one;
        });
        return entered[0] ? address : null;
    }

    /** What an address is counted by. */
    static long key(@Nullable SocketAddress remote) {
        InetAddress ip = remote instanceof InetSocketAddress socket ? socket.getAddress() : null;
        if (ip == null) {
            return 0;
        }
        byte[] bytes = ip.getAddress();
        return ip instanceof Inet6Address
                ? ByteBuffer.wrap(bytes).getLong()
                : ByteBuffer.wrap(bytes).getInt() & 0xFFFF_FFFFL;
    }

    int size() {
        return addresses.size();
    }
}
