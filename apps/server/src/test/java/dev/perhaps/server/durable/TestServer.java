package dev.perhaps.server.durable;

import dev.perhaps.server.command.ClientSession;
import dev.perhaps.server.command.Database;
import dev.perhaps.server.command.Users;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.operation.ServerSettings;
import dev.perhaps.server.wire.ReplyWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/** A database over a disk, without sockets: one client, and a clock that is set. */
final class TestServer implements AutoCloseable {
    private static final ClientSession.Connection NOBODY = new ClientSession.Connection() {
        @Override
        public void closeAfterReplies() {}

        @Override
        public void kill() {}

        @Override
        public void send(String line) {}
    };

    final Keyspace keyspace = new Keyspace(42);
    final Users users = new Users();
    final Database database;
    final DataDirectory directory;
    final List<String> complaints = new CopyOnWriteArrayList<>();
    private final ByteBuf out = Unpooled.buffer();
    private final ClientSession session;
    private final ClientSession viewer;
    long nowMillis = 1_700_000_000_000L;

    /** Reads the disk; nothing is written before {@link #start}. */
    TestServer(Disk disk) throws IOException {
        this(disk, "always");
    }

    TestServer(Disk disk, String fsync) throws IOException {
        directory = DataDirectory.open(disk, keyspace, users, complaints::add);
        ServerSettings settings = new ServerSettings();
        settings.addDurable(fsync);
        database = new Database(keyspace, settings, users, () -> nowMillis, directory.seed());
        session = connect(1);
        viewer = connect(2);
    }

    private ClientSession connect(int id) {
        ClientSession made = new ClientSession(id, "test", "test", 0, NOBODY, new ReplyWriter(out));
        if (!database.connect(made)) {
            throw new IllegalStateException("too many clients");
        }
        return made;
    }

    TestServer start() throws IOException {
        directory.start(database);
        return this;
    }

    /** Runs a line; returns the reply, when it may be sent. */
    String run(String line) throws Exception {
        String reply = begin(line);
        return await() ? reply : "not written";
    }

    /** Runs a line without waiting for the disk; {@link #await} waits. */
    String begin(String line) {
        return begin(session, line);
    }

    private String begin(ClientSession client, String line) {
        String[] texts = line.split(" ", -1);
        byte[][] words = new byte[texts.length][];
        for (int i = 0; i < words.length; i++) {
            words[i] = texts[i].getBytes(StandardCharsets.ISO_8859_1);
        }
        out.clear();
        database.run(client, words);
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    /** Waits until the replies so far may be sent; false if they may not. */
    boolean await() throws Exception {
        List<ClientSession.LoggedReply> logged = session.takeLoggedReplies();
        if (!logged.isEmpty()) {
            var written = database.beforeReply(logged.get(logged.size() - 1).number());
            if (written != null) {
                try {
                    written.get(60, TimeUnit.SECONDS);
                } catch (java.util.concurrent.ExecutionException e) {
                    return false;
                }
            }
        }
        ClientSession.LateReply late = session.late();
        if (late != null) {
            session.endLate();
            late.done().get(60, TimeUnit.SECONDS);
        }
        return true;
    }

    /** The number of the last record of this client's commands, if any is waited for. */
    long lastLogged() {
        List<ClientSession.LoggedReply> logged = session.takeLoggedReplies();
        return logged.isEmpty() ? 0 : logged.get(logged.size() - 1).number();
    }

    /** Everything that a client could see, as one line per key and user. */
    String state() {
        Map<String, String> lines = new TreeMap<>();
        keyspace.scan(0, Long.MAX_VALUE, entry -> {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try {
                entry.value().writeTo(bytes);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            CRC32C sum = new CRC32C();
            sum.update(bytes.toByteArray());
            lines.put(
                    HexFormat.of().formatHex(entry.key().bytes()),
                    entry.value().type() + " " + bytes.size() + " " + sum.getValue() + " " + entry.expiresAtMillis());
        });
        return lines + "\n" + begin(viewer, "ACL LIST");
    }

    @Override
    public void close() throws IOException {
        directory.close();
    }
}
