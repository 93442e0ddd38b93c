package dev.perhaps.chord.store;

import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.Deadline;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The peers that one request needs: each is connected to once, however often it is asked, and this peer itself not at all.
 * Different peers may be used by different threads.
 */
final class RequestPeers implements Closeable {
    private final PeerDirectory directory;
    private final Supplier<CopySource> own;
    private final Map<HostPort, CopySource> open = new ConcurrentHashMap<>();

    /** @param own opens the copies of this peer itself */
    RequestPeers(PeerDirectory directory, Supplier<CopySource> own) {
        this.directory = directory;
        this.own = own;
    }

    /** The peer at this address; this one itself without a connection. */
    CopySource at(HostPort address, Deadline deadline) throws IOException {
        CopySource source = open.get(address);
        if (source == null && address.equals(directory.self())) {
            source = own.get();
            open.put(address, source);
        }
        return source == null ? connection(address, deadline) : source.within(deadline);
    }

    /** A connection to the peer at this address, also if it is this one: what is stored takes the same way everywhere. */
    RemotePeer connection(HostPort address, Deadline deadline) throws IOException {
        if (open.get(address) instanceof RemotePeer remote) {
            return remote.within(deadline);
        }
        RemotePeer remote = directory.open(address, deadline);
        close(open.put(address, remote));
        return remote;
    }

    /** This one is not needed any more, or has failed. */
    void release(HostPort address) {
        close(open.remove(address));
    }

    /** Closes all other connections before a transfer, which may take long. */
    void releaseAllBut(HostPort address) {
        open.keySet().stream().filter(each -> !each.equals(address)).forEach(this::release);
    }

    private static void close(@Nullable CopySource source) {
        if (source != null) {
            source.close();
        }
    }

    @Override
    public void close() {
        open.keySet().forEach(this::release);
    }
}
