package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.ClusterSecret;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.store.FileClient;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.SocketFrameStream;
import dev.perhaps.chord.wire.WireFrame;
import dev.perhaps.web.Role;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Peers as processes, attacked over real sockets by who knows no secret, who stands in between, and who is in and forges. */
@Timeout(900) // only ends a test that hangs
class RingHostileIT {
    private static final String SECRET = "correct horse battery staple";
    private static final int STRANGERS = 1_100;
    private static final int GARBAGE = 100;
    private static final int FILES = 10;

    /** What may differ from before besides a tenth: caches and threads of a process of a few megabytes. */
    private static final long SLACK_BYTES = 3 << 20;

    private static final int SLACK_DESCRIPTORS = 12;

    // Types of frames, as in docs/chord-wire.md.
    private static final int FETCH = 48;
    private static final int PRESENCE = 52;
    private static final int SWEEP = 55;
    private static final int GET = 61;
    private static final int DELETE = 62;

    @TempDir
    private Path folder;

    private final Random random = new Random(1);
    private PeerShell peers = new PeerShell(Path.of("."));
    private Cluster insider = Cluster.open();
    private Cluster client = Cluster.open();

    @BeforeEach
    void inTheFolder() throws Exception {
        peers = new PeerShell(folder);
        ClusterSecret secret = ClusterSecret.read(new Shell(folder).writeSecret("secret", SECRET));
        insider = new Cluster(Cluster.USUAL_NAME, Optional.of(secret));
        client = new Cluster(Cluster.USUAL_NAME, Optional.of(secret.grant(Role.CLIENT, "alice")));
    }

    @AfterEach
    void stopAll() throws InterruptedException {
        peers.close();
    }

    /** An honest client: puts and gets the same files again and again. What fails is tried again, as people do. */
    private final class Honest implements Runnable {
        private final List<String> via;
        private final List<Path> files = new ArrayList<>();
        private final AtomicBoolean over = new AtomicBoolean();
        private final AtomicInteger rounds = new AtomicInteger();
        private final List<Throwable> wrong = Collections.synchronizedList(new ArrayList<>());

        Honest(List<String> via) throws IOException {
            this.via = via;
            for (int i = 0; i < FILES; i++) {
                files.add(Files.writeString(folder.resolve("honest" + i), "honest file " + i));
            }
        }

        @Override
        public void run() {
            try {
                while (!over.get()) {
                    int round = rounds.get();
                    put(round);
                    get(round);
                    rounds.incrementAndGet();
                }
            } catch (Exception | AssertionError e) {
                wrong.add(e);
            }
        }

        private FileClient open(int round) throws IOException {
            return FileClient.open(HostPort.of(via.get(round % via.size())), client);
        }

        /** Something that may fail while peers are attacked, and must succeed in the end. */
        private interface Attempt {
            void run() throws IOException;
        }

        private void served(String what, Attempt attempt) throws Exception {
            List<String> failures = new ArrayList<>();
            Await.until(() -> what + ": " + failures, () -> {
                try {
                    attempt.run();
                    return true;
                } catch (IOException e) {
                    failures.add(e.getMessage());
                    return false;
                }
            });
        }

        private void put(int round) throws Exception {
            Path file = files.get(round % FILES);
            served("a put", () -> {
                try (FileClient ring = open(round)) {
                    ring.put(file, FileClient.idOf(file), 3, n -> {});
                }
            });
        }

        private void get(int round) throws Exception {
            Path file = files.get(round % FILES);
            served("a get", () -> {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                try (FileClient ring = open(round + 1)) {
                    ring.get(FileClient.idOf(file)).orElseThrow().writeTo(out, n -> {});
                }
                assertThat(out.toByteArray()).isEqualTo(Files.readAllBytes(file));
            });
        }

        void awaitRounds(int more) throws Exception {
            int goal = rounds.get() + more;
            Await.until("an honest client is served", () -> rounds.get() >= goal || !wrong.isEmpty());
            assertThat(wrong).isEmpty();
        }
    }

    /** What a process holds. */
    private record Held(long descriptors, long heapBytes) {
        static Held by(Shell.Running peer) throws Exception {
            long pid = peer.process().pid();
            long descriptors;
            try (var open = Files.list(Path.of("/proc/" + pid + "/fd"))) {
                descriptors = open.count();
            }
            // It collects all garbage before it counts what is left.
            Process histogram = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            Long.toString(pid),
                            "GC.class_histogram")
                    .start();
            String total = new String(histogram.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith("Total"))
                    .findFirst()
                    .orElseThrow();
            return new Held(descriptors, Long.parseLong(total.trim().split("\\s+", -1)[2]));
        }

        boolean isNoMoreThan(Held before) {
            return descriptors <= before.descriptors * 1.1 + SLACK_DESCRIPTORS
                    && heapBytes <= before.heapBytes * 1.1 + SLACK_BYTES;
        }
    }

    @Test
    void whoIsHonestIsServedDuringAndAfterAllOfThis() throws Exception {
        List<Shell.Running> running = new ArrayList<>();
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            List<String> words = new ArrayList<>(List.of("--listen", "127.0.0.1:0", "--dir", "p" + i));
            words.addAll(List.of("--no-page", "--secret-file", "secret"));
            if (i > 0) {
                words.addAll(List.of("--join", all.get(0)));
            }
            running.add(peers.start(words.toArray(new String[0])));
            all.add(PeerShell.address(running.get(i)));
        }
        Honest honest = new Honest(all);
        Thread load = new Thread(honest, "honest");
        load.start();
        honest.awaitRounds(FILES);
        attack(all, honest);
        List<Held> before = new ArrayList<>();
        for (Shell.Running peer : running) {
            before.add(Held.by(peer));
        }
        attack(all, honest);
        for (int i = 0; i < 3; i++) {
            Shell.Running peer = running.get(i);
            Held then = before.get(i);
            Await.until(
                    "descriptors and heap are back: " + then,
                    () -> Held.by(peer).isNoMoreThan(then));
        }
        honest.awaitRounds(FILES);
        honest.over.set(true);
        load.join();
        assertThat(honest.wrong).isEmpty();

        for (int i = 1; i < 3; i++) {
            running.get(i).process().destroyForcibly().waitFor();
            Shell.Running again =
                    peers.start("--listen", all.get(i), "--dir", "p" + i, "--no-page", "--secret-file", "secret");
            assertThat(PeerShell.address(again)).as("it starts again").isEqualTo(all.get(i));
            assertThat(Files.readString(again.err()))
                    .as("and nothing was damaged")
                    .doesNotContain(".damaged");
        }
        new History(folder, client, 1).awaitSettled(all, 3);
        for (int i = 0; i < FILES; i++) {
            honest.put(i);
            honest.get(i);
        }
        for (Shell.Running peer : running) {
            assertThat(Files.readAllLines(peer.err()).size())
                    .as("lines about strangers")
                    .isLessThan(600);
            assertThat(Files.readString(peer.err())).doesNotContainPattern("[\\x00-\\x09\\x0b-\\x1f\\x7f]");
        }
    }

    private void attack(List<String> all, Honest honest) throws Exception {
        for (String peer : all) {
            forge(peer, honest);
            garbage(peer);
        }
        honest.awaitRounds(3);
        relay(all.get(0), honest);
        List<Socket> strangers = new ArrayList<>();
        try {
            HostPort at = HostPort.of(all.get(0));
            for (int i = 0; i < STRANGERS; i++) {
                strangers.add(new Socket(at.host(), at.port()));
            }
            honest.awaitRounds(6);
        } finally {
            for (Socket stranger : strangers) {
                stranger.close();
            }
        }
    }

    /** Somebody who knows the cluster's secret. */
    private void forge(String peer, Honest honest) throws IOException {
        Id known = FileClient.idOf(honest.files.get(0));
        List<WireFrame> forged = new ArrayList<>();
        forged.add(new FrameWriteBuffer()
                .flag(false)
                .u16(1)
                .id(known)
                .i64(Long.MAX_VALUE)
                .frame(SWEEP));
        forged.add(
                new FrameWriteBuffer().flag(true).u16(1).id(known).i64(1L << 62).frame(SWEEP));
        for (String address : List.of("evil\r:1", "evil\n9 left x:1", "\u001b[2J:1", "x".repeat(60_000) + ":1")) {
            forged.add(new FrameWriteBuffer().text(address).i64(1).u8(1).frame(PRESENCE));
        }
        forged.add(new FrameWriteBuffer().text(peer).i64(1L << 62).u8(2).frame(PRESENCE));
        for (long chunk : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            forged.add(new FrameWriteBuffer().id(known).i64(chunk).frame(FETCH));
        }
        for (int type = 20; type < 70; type++) {
            byte[] noise = new byte[random.nextInt(100)];
            random.nextBytes(noise);
            forged.add(new WireFrame(type, noise));
        }
        for (WireFrame frame : forged) {
            try (SocketFrameStream line = SocketFrameStream.open(HostPort.of(peer), insider, 20_000)) {
                line.send(frame);
                if (frame.type() < 40 || frame.type() > 45) {
                    line.patience(200).receive();
                }
            } catch (IOException e) {
                assertThat(e.getMessage()).matches("(?s).*(closed the connection|reset|in time|Broken pipe).*");
            }
        }
    }

    /** Somebody who knows nothing. */
    private void garbage(String peer) throws IOException {
        HostPort at = HostPort.of(peer);
        for (int i = 0; i < GARBAGE; i++) {
            byte[] bytes = new byte[1 + random.nextInt(2_000)];
            random.nextBytes(bytes);
            if (i % 2 == 0) {
                // A proper beginning of a handshake, and a cluster that a terminal would obey.
                byte[] hello = new FrameWriteBuffer()
                        .i32(0x50524852)
                        .u16(2)
                        .u8(2)
                        .u8(2)
                        .flag(true)
                        .i32(1_000)
                        .text("\u001b]0;owned\u0007\r\n")
                        .text("")
                        .text("")
                        .text("")
                        .raw(new byte[32])
                        .bytes();
                bytes = new FrameWriteBuffer()
                        .i32(1 + hello.length)
                        .u8(1)
                        .raw(hello)
                        .bytes();
            }
            try (Socket socket = new Socket(at.host(), at.port())) {
                socket.getOutputStream().write(bytes);
            }
        }
    }

    /** Somebody in between, at an address of its own: passes on the handshake, and then says something else. */
    private void relay(String peer, Honest honest) throws Exception {
        Id victim = FileClient.idOf(honest.files.get(1));
        byte[] body = new FrameWriteBuffer().id(victim).bytes();
        for (int tagBytes : new int[] {0, 16}) {
            byte[] delete = new FrameWriteBuffer()
                    .i32(1 + body.length + tagBytes)
                    .u8(DELETE)
                    .raw(body)
                    .raw(new byte[tagBytes])
                    .bytes();
            try (Between between = new Between(peer, (frame) -> frame[4] == GET ? delete : frame);
                    FileClient ring = FileClient.open(HostPort.of(between.address()), client)) {
                var unused = ring.get(victim);
                throw new AssertionError("what was changed on the way was answered");
            } catch (IOException e) {
                assertThat(e.getMessage()).matches("(?s).*(closed the connection|reset|Broken pipe).*");
            }
        }
        honest.get(1);
    }

    /** A ring without a secret has no tags: who stands in between, or a peer that lies, can answer with another file. */
    @Test
    void anotherFileThanTheOneThatWasAskedForIsNotTaken() throws Exception {
        String peer = PeerShell.address(peers.start("--listen", "127.0.0.1:0", "--dir", "open", "--no-page"));
        Shell shell = new Shell(folder);
        Path wanted = shell.write("wanted", "what I want");
        Path other = shell.write("other", "what I do not");
        for (String name : List.of("wanted", "other")) {
            assertThat(shell.perhaps("put", "--via", peer, name, "--replicas", "1")
                            .code())
                    .isZero();
        }
        byte[] question = new FrameWriteBuffer()
                .i32(1 + Id.BITS / Byte.SIZE)
                .u8(GET)
                .id(FileClient.idOf(other))
                .bytes();
        String id = FileClient.idOf(wanted).toString();
        try (Between liar = new Between(peer, frame -> frame[4] == GET ? question : frame)) {
            Shell.Result result = shell.perhaps("get", "--via", liar.address(), id, "-o", "got");
            assertThat(result.code()).isEqualTo(2);
            assertThat(result.err()).contains("the request was about " + id);
            assertThat(folder.resolve("got")).doesNotExist();
        }
    }

    /** Ctrl-C during {@code … | perhaps put} left a copy behind that everybody could read. */
    @Test
    void whatIsPipedIntoPutIsNowhereToBeFoundMeanwhileNorAfterwards() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        Shell.Running put = new Shell(folder)
                .startAs(List.of(), List.of("-Djava.io.tmpdir=" + temporary), "put", "--via", "127.0.0.1:1");
        put.process().getOutputStream().write(new byte[100_000]);
        put.process().getOutputStream().flush();
        Path descriptors = Path.of("/proc/" + put.process().pid() + "/fd");
        Await.until("it keeps what comes", () -> {
            try (var open = Files.list(descriptors)) {
                return open.anyMatch(each -> isOpenWithoutName(each));
            }
        });
        assertThat(temporary).isEmptyDirectory();
        put.signal("-INT");
        assertThat(put.process().waitFor()).isEqualTo(130);
        assertThat(temporary).isEmptyDirectory();
    }

    private static boolean isOpenWithoutName(Path descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            return target.contains("perhaps-put") && target.endsWith("(deleted)");
        } catch (IOException e) {
            return false; // it was closed meanwhile
        }
    }

    /** Between a caller and a peer: passes frames on, and changes those of the caller. */
    private static final class Between implements AutoCloseable {
        private final HostPort target;
        private final UnaryOperator<byte[]> change;
        private final ServerSocket door;

        Between(String target, UnaryOperator<byte[]> change) throws IOException {
            this.target = HostPort.of(target);
            this.change = change;
            this.door = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
            start(this::accept);
        }

        String address() {
            return "127.0.0.1:" + door.getLocalPort();
        }

        private static void start(Runnable task) {
            Thread thread = new Thread(task, "between");
            thread.setDaemon(true);
            thread.start();
        }

        private void accept() {
            while (!door.isClosed()) {
                try {
                    Socket caller = door.accept();
                    Socket peer = new Socket(target.host(), target.port());
                    start(() -> pump(caller, peer, change));
                    start(() -> pump(peer, caller, UnaryOperator.identity()));
                } catch (IOException e) {
                    assert e.toString() != null; // the door is closed
                }
            }
        }

        private static void pump(Socket from, Socket to, UnaryOperator<byte[]> change) {
            try (from;
                    to) {
                DataInputStream in = new DataInputStream(from.getInputStream());
                DataOutputStream out = new DataOutputStream(to.getOutputStream());
                while (true) {
                    int length = in.readInt();
                    byte[] rest = in.readNBytes(length);
                    out.write(change.apply(
                            new FrameWriteBuffer().i32(length).raw(rest).bytes()));
                    out.flush();
                }
            } catch (IOException e) {
                assert e.toString() != null; // one of them is gone
            }
        }

        @Override
        public void close() throws IOException {
            door.close();
        }
    }
}
