package dev.perhaps.server.command;

import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.keyspace.KeyBytes;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.wire.ReplyTooLarge;
import dev.perhaps.server.wire.ReplyWriter;
import java.util.ArrayList;
import java.util.List;

/** MULTI, EXEC and WATCH: commands that run at once, with the locks of all their keys, or not at all. Thread-safe. */
final class Transactions {
    /** Half of what a record of the log may have: the removal of expired keys comes on top. */
    private static final int MAX_BYTES = 1 << 29;

    private static final int MAX_WATCHED_BYTES = 1 << 18;

    /** What watching a key takes beside its name: the key, who watches it, and its places in two maps. */
    private static final int WATCH_BYTES = 256;

    private final Database database;
    private final Keyspace keyspace;

    Transactions(Database database) {
        this.database = database;
        this.keyspace = database.keyspace();
    }

    /** Keeps a command until EXEC. */
    void queue(ClientSession session, Command command, byte[][] words) {
        if (command.is(Flag.NO_MULTI)) {
            throw new CommandError("ERR Command not allowed inside a transaction");
        }
        session.queue(words);
        database.memory().refuseIfFull(session.queuedBytes());
        if (session.queuedBytes() > MAX_BYTES) {
            throw new CommandError("ERR a transaction has at most " + MAX_BYTES + " bytes");
        }
        session.reply().simple("QUEUED");
    }

    /** Runs the queued commands at once: with the locks of all their keys. */
    void exec(ClientSession session) {
        ReplyWriter reply = session.reply();
        if (!session.isQueuing()) {
            throw new CommandError("ERR EXEC without MULTI");
        }
        boolean isBroken = session.isBroken();
        List<byte[][]> queued = session.endQueue();
        if (isBroken) {
            unwatch(session);
            throw new CommandError("EXECABORT Transaction discarded because of previous errors.");
        }
        long stripes = 0;
        for (KeyBytes key : session.watched().keySet()) {
            stripes |= Keyspace.stripesOf(key);
        }
        boolean isAll = false;
        boolean isWriting = false;
        for (byte[][] words : queued) {
            Command command = database.known(words);
            isAll |= command.is(Flag.ALL_KEYS);
            isWriting |= command.is(Flag.WRITE);
            stripes |= database.stripes(command, words);
        }
        if (isWriting) {
            try {
                database.refuseIfNotDurable();
            } catch (CommandError e) {
                unwatch(session);
                throw e;
            }
        }
        try (Keyspace.Locks locks = isAll ? keyspace.lockAll(true) : keyspace.lock(stripes, true)) {
            long now = database.readClock(session);
            for (KeyBytes key : session.watched().keySet()) {
                // Nobody may have removed it yet, but who watched it must not run as if it were there.
                KeyEntry entry = keyspace.find(key);
                if (entry != null && entry.expiresAtMillis() <= now) {
                    session.isDirty(true);
                }
            }
            session.watched().forEach(keyspace::unwatch);
            session.watched().clear();
            session.watchedBytes(0);
            if (session.isDirty()) {
                session.isDirty(false);
                reply.nilArray();
                return;
            }
            if (!reply.reserveErrors(queued.size())) {
                throw new CommandError(
                        "ERR there is no memory for the replies of this transaction, and nothing of it was"
                                + " run: send fewer commands per transaction, or try again later");
            }
            reply.array(queued.size());
            List<Change> changes = new ArrayList<>();
            session.isInTransaction(true);
            int left = queued.size();
            try {
                for (byte[][] words : queued) {
                    reply.errorsLeft(left--);
                    runOne(session, words, now, changes);
                }
            } finally {
                session.isInTransaction(false);
                reply.errorsLeft(0);
                database.log(session, now, changes);
            }
        }
    }

    /** A command that is refused, or fails, gets its error; those after it run. */
    private void runOne(ClientSession session, byte[][] words, long now, List<Change> changes) {
        ReplyWriter reply = session.reply();
        int mark = reply.mark();
        Command command = database.known(words);
        String error;
        try {
            // Its rights may be others than when it was queued.
            session.charge(database.users().check(session.user(), command, words));
            database.runLocked(session, command, words, now, changes);
            return;
        } catch (CommandError e) {
            error = e.text();
        } catch (ReplyTooLarge e) {
            error = String.valueOf(e.getMessage());
        } catch (RuntimeException e) {
            error = database.failed(command, e);
        }
        reply.reset(mark);
        reply.error(error);
    }

    void watch(ClientSession session, KeyBytes key) {
        if (session.watched().containsKey(key)) {
            return;
        }
        long bytes = session.watchedBytes() + key.bytes().length + WATCH_BYTES;
        if (bytes > MAX_WATCHED_BYTES) {
            throw new CommandError("ERR the watched keys take more than " + MAX_WATCHED_BYTES + " bytes");
        }
        session.watchedBytes(bytes);
        Runnable watcher = () -> session.isDirty(true);
        session.watched().put(key, watcher);
        try (Keyspace.Locks locks = keyspace.lock(Keyspace.stripesOf(key), true)) {
            KeyEntry entry = keyspace.find(key);
            long now = database.readClock(session);
            if (entry != null && entry.expiresAtMillis() <= now && database.problem() == null) {
                // That it goes is no change of a key that is watched from now on: it goes before.
                List<Change> changes = new ArrayList<>(1);
                keyspace.beforeChange(entry);
                database.removeExpired(entry, now, changes);
                database.log(null, now, changes);
            }
            keyspace.watch(key, watcher);
        }
    }

    /** Forgets what a session watches. */
    void unwatch(ClientSession session) {
        for (KeyBytes key : List.copyOf(session.watched().keySet())) {
            try (Keyspace.Locks locks = keyspace.lock(Keyspace.stripesOf(key), true)) {
                Runnable watcher = session.watched().remove(key);
                if (watcher != null) {
                    keyspace.unwatch(key, watcher);
                }
            }
        }
        session.watchedBytes(0);
        session.isDirty(false);
    }
}
