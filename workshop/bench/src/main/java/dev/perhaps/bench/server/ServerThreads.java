package dev.perhaps.bench.server;

import dev.perhaps.server.command.ClientSession;
import dev.perhaps.server.command.Database;
import dev.perhaps.server.command.ServerSettings;
import dev.perhaps.server.command.Users;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.wire.ReplyWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Commands in this process, without sockets: what a second thread brings, and what a key takes. */
final class ServerThreads {
    private static final int BATCH = 32;
    private static final int KEYS = 200_000;
    private static final int COLLECTIONS = 3;

    private static final ClientSession.Connection NOBODY = new ClientSession.Connection() {
        @Override
        public void closeAfterReplies() {}

        @Override
        public void kill() {}

        @Override
        public void send(String line) {}
    };

    private final Database database =
            new Database(new Keyspace(1), new ServerSettings(), new Users(), System::currentTimeMillis, 1);

    /** A client without a socket. */
    private final class Client {
        private final ByteBuf out = Unpooled.buffer(1 << 12);
        private final ClientSession session = new ClientSession(0, "", "", 0, NOBODY, new ReplyWriter(out));

        Client() {
            if (!database.connect(session)) {
                throw new IllegalStateException("too many clients");
            }
        }

        /** Runs the commands in batches, as a pipeline of that length does. */
        void run(byte[][][] commands) {
            for (int from = 0; from < commands.length; from += BATCH) {
                out.clear();
                database.begin(session);
                for (int i = from; i < Math.min(commands.length, from + BATCH); i++) {
                    database.run(session, commands[i]);
                }
                database.end(session);
                if (out.getByte(0) == '-') {
                    throw new IllegalStateException(out.toString(StandardCharsets.US_ASCII));
                }
            }
        }

        void run(String words) {
            run(new byte[][][] {words(words)});
        }
    }

    private static byte[][] words(String line) {
        String[] words = line.split(" ", -1);
        byte[][] bytes = new byte[words.length][];
        for (int i = 0; i < words.length; i++) {
            bytes[i] = words[i].getBytes(StandardCharsets.US_ASCII);
        }
        return bytes;
    }

    private static byte[][][] commands(String line, int count, int first) {
        byte[][][] all = new byte[count][][];
        for (int i = 0; i < count; i++) {
            all[i] = words(line.replace("#", Integer.toString(first + i)));
        }
        return all;
    }

    /** What a thread runs: a command in which # is a number; $ is the number of the thread. */
    private final class Work {
        final List<Client> clients = new ArrayList<>();
        final List<byte[][][]> commands = new ArrayList<>();

        Work(String before, String line, int threads, int count) {
            for (int t = 0; t < threads; t++) {
                Client client = new Client();
                for (String each : before.replace("$", Integer.toString(t)).split(";", -1)) {
                    client.run(each);
                }
                clients.add(client);
                commands.add(commands(line.replace("$", Integer.toString(t)), count, t * count));
            }
        }

        /** Runs all of it on this many threads at once; returns the commands per second of all together. */
        double rate(int threads) throws InterruptedException {
            CountDownLatch start = new CountDownLatch(threads);
            List<Thread> running = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int own = t;
                running.add(new Thread(() -> {
                    start.countDown();
                    try {
                        start.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException("a benchmark is not to be interrupted", e);
                    }
                    clients.get(own).run(commands.get(own));
                }));
            }
            long before = System.nanoTime();
            running.forEach(Thread::start);
            for (Thread thread : running) {
                thread.join();
            }
            return 1e9 * threads * commands.get(0).length / (System.nanoTime() - before);
        }
    }

    /** How many times as many commands per second two threads run as one, per round. */
    static double[] speedup(String before, String line, int count, int rounds) throws InterruptedException {
        Work work = new ServerThreads().new Work(before, line, 2, count);
        for (int i = 0; i < 3; i++) {
            work.rate(1);
            work.rate(2);
        }
        double[] ratios = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            // Which goes first alternates.
            double one = round % 2 == 0 ? work.rate(1) : 0;
            double two = work.rate(2);
            ratios[round] = two / (round % 2 == 0 ? one : work.rate(1));
        }
        return ratios;
    }

    /** The memory of a key beside this number of bytes of its name and its value. */
    static double bytesPerKey(String line, int payloadBytes) {
        ServerThreads owner = new ServerThreads();
        Client client = owner.new Client();
        client.run("PING");
        long before = usedAfterCollection();
        for (int i = 0; i < KEYS; i++) {
            client.run(commands(line, 1, 1_000_000 + i));
        }
        double bytes = (double) (usedAfterCollection() - before) / KEYS - payloadBytes;
        if (owner.database.keyspace().size() != KEYS) {
            throw new IllegalStateException("not " + KEYS + " keys");
        }
        return bytes;
    }

    private static long usedAfterCollection() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
