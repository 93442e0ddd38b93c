package dev.perhaps.bench.server;

import dev.perhaps.server.command.ClientSession;
import dev.perhaps.server.command.Database;
import dev.perhaps.server.command.Users;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.operation.ServerSettings;
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

        /** Runs a command with these numbers in batches, as a pipeline of that length does. */
        void run(Template template, int first, int count) {
            for (int from = 0; from < count; from += BATCH) {
                out.clear();
                database.begin(session);
                for (int i = from; i < Math.min(count, from + BATCH); i++) {
                    database.run(session, template.words(first + i));
                }
                database.end(session);
                if (out.getByte(0) == '-') {
                    throw new IllegalStateException(out.toString(StandardCharsets.US_ASCII));
                }
            }
        }

        void run(String words) {
            run(new Template(words), 0, 1);
        }
    }

    /**
     * A command in which # is a number. Its words are new ones with every call, as those are that come from a socket.
     */
    private static final class Template {
        private static final int DIGITS = 8;

        private final byte[][] words;
        private final int[] numberAt;

        Template(String line) {
            String[] parts = line.split(" ", -1);
            words = new byte[parts.length][];
            numberAt = new int[parts.length];
            for (int i = 0; i < parts.length; i++) {
                numberAt[i] = parts[i].indexOf('#');
                words[i] = parts[i].replace("#", "0".repeat(DIGITS)).getBytes(StandardCharsets.US_ASCII);
            }
        }

        byte[][] words(int number) {
            byte[][] fresh = new byte[words.length][];
            for (int i = 0; i < fresh.length; i++) {
                fresh[i] = words[i].clone();
                if (numberAt[i] >= 0) {
                    int rest = number;
                    for (int digit = DIGITS - 1; digit >= 0; digit--) {
                        fresh[i][numberAt[i] + digit] = (byte) ('0' + rest % 10);
                        rest /= 10;
                    }
                }
            }
            return fresh;
        }
    }

    /** What threads run: a command in which $ is the number of the thread. */
    private final class Work {
        final List<Client> clients = new ArrayList<>();
        final List<Template> templates = new ArrayList<>();
        final int count;

        Work(String before, String line, int threads, int count) {
            this.count = count;
            for (int t = 0; t < threads; t++) {
                Client client = new Client();
                for (String each : before.replace("$", Integer.toString(t)).split(";", -1)) {
                    client.run(each);
                }
                clients.add(client);
                templates.add(new Template(line.replace("$", Integer.toString(t))));
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
                    clients.get(own).run(templates.get(own), own * count, count);
                }));
            }
            long before = System.nanoTime();
            running.forEach(Thread::start);
            for (Thread thread : running) {
                thread.join();
            }
            return 1e9 * threads * count / (System.nanoTime() - before);
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
        client.run(new Template(line), 0, KEYS);
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
