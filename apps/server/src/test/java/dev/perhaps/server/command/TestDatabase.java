package dev.perhaps.server.command;

import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.operation.ServerSettings;
import dev.perhaps.server.wire.ReplyWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** A database in memory, without sockets; replies are outside of Java's heap, as those of a server. */
final class TestDatabase implements AutoCloseable {
    private static final ClientSession.Connection NOBODY = new ClientSession.Connection() {
        @Override
        public void closeAfterReplies() {}

        @Override
        public void kill() {}

        @Override
        public void send(String line) {}
    };

    final ServerSettings settings = new ServerSettings();
    final Keyspace keyspace = new Keyspace(42);
    final Users users = new Users();
    final Database database = new Database(keyspace, settings, users, () -> 1_700_000_000_000L, 7);
    final ByteBuf out = Unpooled.directBuffer();
    private long lastId;
    final ClientSession session = session(bytes -> true);

    /** Another client, whose replies ask for memory here. */
    ClientSession session(ReplyWriter.Memory memory) {
        ClientSession made = new ClientSession(++lastId, "test", "test", 0, NOBODY, new ReplyWriter(out, memory));
        database.connect(made);
        return made;
    }

    /** Runs a line; returns the beginning of the reply. */
    String run(String line) {
        return run(session, line);
    }

    String run(ClientSession client, String line) {
        String[] texts = line.split(" ", -1);
        byte[][] words = new byte[texts.length][];
        for (int i = 0; i < words.length; i++) {
            words[i] = texts[i].getBytes(StandardCharsets.ISO_8859_1);
        }
        return run(client, words);
    }

    String run(ClientSession client, byte[]... words) {
        out.clear();
        database.run(client, words);
        return out.toString(out.readerIndex(), Math.min(out.readableBytes(), 1_000), StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() {
        out.release();
    }
}
