package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.wire.Deadline;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.WireFrame;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The copies of this peer itself, read from its shelf. A copy that turns out to be damaged is set aside. */
final class OwnCopies implements CopySource {
    private final Shelf shelf;
    private final Presence presence;
    private final Consumer<String> log;
    private @Nullable StoredCopy copy;

    OwnCopies(Shelf shelf, Presence presence, Consumer<String> log) {
        this.shelf = shelf;
        this.presence = presence;
        this.log = log;
    }

    @Override
    public OwnCopies within(Deadline deadline) {
        return this;
    }

    @Override
    public RemotePeer.Looked look(Id key) {
        return new RemotePeer.Looked(
                shelf.isDamaged(key), shelf.isClosing(), presence.floor(), Optional.ofNullable(shelf.get(key)));
    }

    @Override
    public void fetch(Id key, long fromChunk) throws IOException {
        close();
        try {
            StoredCopy opened = shelf.read(key);
            copy = opened;
            opened.skip(fromChunk);
        } catch (StoredCopy.Damaged e) {
            throw damaged(key, e);
        }
    }

    @Override
    public WireFrame next() throws IOException {
        if (copy == null) {
            throw new IllegalStateException("nothing is being read");
        }
        try {
            return copy.hasNext()
                    ? new WireFrame(FrameTypes.CHUNK, copy.next())
                    : new FrameWriteBuffer().frame(FrameTypes.DONE);
        } catch (StoredCopy.Damaged e) {
            throw damaged(copy.entry().key(), e);
        }
    }

    private Failure damaged(Id key, StoredCopy.Damaged e) throws IOException {
        log.accept("set aside: " + e.getMessage());
        shelf.setAside(key);
        return new Failure("the copy here is damaged: " + key);
    }

    @Override
    public void close() {
        StoredCopy open = copy;
        copy = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // It was only read.
                assert e.toString() != null;
            }
        }
    }
}
