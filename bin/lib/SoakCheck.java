import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * Peers, a proxy and a server under load and churn for a given time. Samples what each process takes, and fails if anything that was
 * acknowledged is lost or wrong, a process ends by itself, or memory, descriptors or disk go on growing.
 *
 *     java SoakCheck.java PERHAPS MINUTES OUT       PERHAPS is the launcher; OUT gets soak.csv, soak.svg and the logs
 */
public final class SoakCheck {
    private static final int PEERS = 5;
    private static final int REPLICAS = 3;
    private static final int FILES = 40;
    private static final int MAX_FILE_BYTES = 1 << 20;
    private static final int PAGES = 3_000;
    private static final int MAX_PAGE_BYTES = 128 << 10;
    private static final int CLIENTS = 8;
    private static final int SERVER_CLIENTS = 3;
    private static final long SERVER_LOG_BYTES = 1 << 20;
    private static final long FILTER_ITEMS = 2_000;
    private static final int CARTS = 1_000;

    /** The log, the one before it while a snapshot is written, and some small filters twice. */
    private static final long MAX_SERVER_DISK_BYTES = 8 * SERVER_LOG_BYTES;

    private static final long CHURN_SECONDS = 20;
    private static final long SAMPLE_SECONDS = 2;
    private static final long START_SECONDS = 120;

    // What the last quarter may have beyond the quarter after warming up: a share and a constant.
    private static final double MAX_GROWTH = 1.25;
    private static final long MEMORY_SLACK_BYTES = 96L << 20;
    private static final long DESCRIPTOR_SLACK = 48;

    private final String perhaps;
    private final Path out;
    private final long endNanos;
    private final Path secret;
    private final int[] ports = new int[PEERS];
    private final Process[] peers = new Process[PEERS];
    private final Map<String, Integer> stored = new ConcurrentSkipListMap<>();
    private final List<String> problems = new ArrayList<>();
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
    /** Seconds since the start, process, resident bytes, descriptors, bytes on disk. */
    private final List<Sample> samples = new ArrayList<>();

    private final long startNanos = System.nanoTime();
    private int proxyPort;
    private Process proxy;
    private int serverPort;
    private volatile Process server;

    private record Sample(long seconds, String process, long memoryBytes, long descriptors, long diskBytes) {}

    private SoakCheck(String perhaps, double minutes, Path out) throws IOException {
        this.perhaps = perhaps;
        this.out = out;
        this.endNanos = System.nanoTime() + (long) (minutes * 60e9);
        this.secret = out.resolve("secret");
        Files.writeString(secret, "a secret for a soak of some hours");
        secret.toFile().setReadable(false, false);
        secret.toFile().setReadable(true, true);
    }

    public static void main(String[] args) throws Exception {
        Path out = Files.createDirectories(Path.of(args[2]));
        SoakCheck soak = new SoakCheck(args[0], Double.parseDouble(args[1]), out);
        boolean good;
        try {
            good = soak.run();
        } finally {
            soak.stop();
        }
        System.exit(good ? 0 : 1);
    }

    private boolean left() {
        return System.nanoTime() < endNanos && problems.isEmpty();
    }

    private boolean run() throws Exception {
        HttpServer origin = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        origin.createContext("/", exchange -> {
            byte[] page = page(number(exchange.getRequestURI().getPath()));
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().set("Cache-Control", "max-age=30");
            exchange.sendResponseHeaders(200, page.length);
            try (var body = exchange.getResponseBody()) {
                body.write(page);
            }
        });
        origin.setExecutor(Executors.newCachedThreadPool(this::daemon));
        origin.start();
        for (int i = 0; i < PEERS; i++) {
            ports[i] = freePort();
            startPeer(i);
            await(ports[i], peers[i]);
        }
        proxyPort = freePort();
        proxy = start(
                "proxy",
                "proxy",
                "--listen",
                "127.0.0.1:" + proxyPort,
                "--cache",
                "64M",
                "--origin",
                "http://127.0.0.1:" + origin.getAddress().getPort());
        await(proxyPort, proxy);
        serverPort = freePort();
        startServer();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            int client = i;
            workers.add(worker(() -> client(client)));
        }
        workers.add(worker(this::files));
        workers.add(worker(this::churn));
        for (int i = 0; i < SERVER_CLIENTS; i++) {
            int client = i;
            workers.add(worker(() -> serverClient(client)));
        }
        workers.add(worker(this::churnServer));
        while (left()) {
            sample();
            TimeUnit.SECONDS.sleep(SAMPLE_SECONDS);
        }
        for (Thread worker : workers) {
            worker.join(TimeUnit.SECONDS.toMillis(START_SECONDS));
        }
        for (int i = 0; i < PEERS; i++) {
            if (!peers[i].isAlive()) {
                startPeer(i);
                await(ports[i], peers[i]);
            }
        }
        for (String id : stored.keySet()) {
            get(id, 5);
        }
        sample();
        origin.stop(0);
        write();
        check();
        new TreeMap<>(counts).forEach((what, count) -> System.out.printf("%-28s %,d%n", what, count.sum()));
        problems.forEach(problem -> System.out.println("FAILED: " + problem));
        return problems.isEmpty();
    }

    private Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }

    private interface Work {
        void run() throws Exception;
    }

    private Thread worker(Work work) {
        Thread thread = daemon(() -> {
            try {
                work.run();
            } catch (Exception e) {
                problem("a worker of this check failed: " + e);
            }
        });
        thread.start();
        return thread;
    }

    private void problem(String what) {
        synchronized (problems) {
            problems.add(what);
        }
    }

    private void count(String what) {
        counts.computeIfAbsent(what, key -> new LongAdder()).increment();
    }

    // Processes

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Process start(String log, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(perhaps));
        command.addAll(Arrays.asList(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        out.resolve(log + ".log").toFile()))
                .start();
    }

    private void startPeer(int i) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "peer",
                "--listen",
                "127.0.0.1:" + ports[i],
                "--dir",
                out.resolve("peer" + i).toString(),
                "--no-page",
                "--secret-file",
                secret.toString()));
        if (i > 0) {
            arguments.addAll(List.of("--join", "127.0.0.1:" + ports[0]));
        }
        peers[i] = start("peer" + i, arguments.toArray(new String[0]));
    }

    private void startServer() throws Exception {
        server = start(
                "server",
                "serve",
                "--listen",
                "127.0.0.1:" + serverPort,
                "--dir",
                out.resolve("server").toString(),
                "--fsync",
                "always",
                "--max-memory",
                "64M");
        await(serverPort, server);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), serverPort)) {
            ask(socket, "CONFIG SET auto-aof-rewrite-min-size " + SERVER_LOG_BYTES);
        }
    }

    private static void await(int port, Process process) throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() < until && process.isAlive()) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return;
            } catch (IOException e) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
        throw new IOException("nothing listens on port " + port);
    }

    private void stop() throws InterruptedException {
        for (Process peer : peers) {
            if (peer != null) {
                peer.destroyForcibly().waitFor();
            }
        }
        if (server != null) {
            server.destroyForcibly().waitFor();
        }
        if (proxy != null) {
            proxy.destroy();
            if (!proxy.waitFor(30, TimeUnit.SECONDS)) {
                proxy.destroyForcibly().waitFor();
                System.out.println("the proxy had to be killed");
            }
        }
    }

    /** Kills a peer, or stops it in order, and starts it again; the first one stays, to join by. */
    private void churn() throws Exception {
        SplittableRandom random = new SplittableRandom(1);
        while (left()) {
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(CHURN_SECONDS);
            while (left() && System.nanoTime() < until) {
                TimeUnit.MILLISECONDS.sleep(200);
            }
            int i = 1 + random.nextInt(PEERS - 1);
            if (!peers[i].isAlive()) {
                problem("peer " + i + " ended by itself: see peer" + i + ".log");
                return;
            }
            boolean kill = random.nextBoolean();
            count(kill ? "peers killed" : "peers stopped in order");
            Process before = peers[i];
            if (kill) {
                before.destroyForcibly();
            } else {
                before.destroy();
            }
            if (!before.waitFor(90, TimeUnit.SECONDS)) {
                problem("peer " + i + " did not end within 90 s of SIGTERM");
                return;
            }
            startPeer(i);
            await(ports[i], peers[i]);
        }
    }

    /** Kills the server, or stops it in order, and starts it again. */
    private void churnServer() throws Exception {
        SplittableRandom random = new SplittableRandom(3);
        while (left()) {
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(random.nextLong(1_000 * CHURN_SECONDS));
            while (left() && System.nanoTime() < until) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            if (!server.isAlive()) {
                problem("the server ended by itself: see server.log");
                return;
            }
            boolean kill = random.nextInt(4) > 0;
            count(kill ? "server killed" : "server stopped in order");
            Process before = server;
            if (kill) {
                before.destroyForcibly();
            } else {
                before.destroy();
            }
            if (!before.waitFor(90, TimeUnit.SECONDS)) {
                problem("the server did not end within 90 s of SIGTERM");
                return;
            }
            startServer();
        }
    }

    /** Sends a line and returns the reply: a number or a line as it is, the parts of an array one after the other. */
    private static String ask(Socket socket, String line) throws IOException {
        send(socket, line);
        return reply(socket.getInputStream());
    }

    private static void send(Socket socket, String... lines) throws IOException {
        socket.setSoTimeout(60_000);
        socket.getOutputStream().write((String.join("\r\n", lines) + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    private static String reply(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new IOException("closed");
            }
            line.append((char) b);
        }
        String head = line.toString().strip();
        if (head.startsWith("*")) {
            List<String> parts = new ArrayList<>();
            for (int i = Integer.parseInt(head.substring(1)); i > 0; i--) {
                parts.add(reply(in));
            }
            return String.join(" ", parts);
        }
        if (head.startsWith("$") && !head.equals("$-1")) {
            byte[] text = in.readNBytes(Integer.parseInt(head.substring(1)) + 2);
            return new String(text, StandardCharsets.US_ASCII).strip();
        }
        return head;
    }

    /**
     * Counts a key of its own up, fills filters that it deletes again, and changes several kinds of keys in transactions; what was
     * acknowledged must be there after a kill, and a transaction as a whole or not at all.
     */
    private void serverClient(int client) throws Exception {
        long acknowledged = 0;
        String added = "";
        Deque<String> carts = new ArrayDeque<>();
        while (left()) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), serverPort)) {
                // Refused if it is there.
                ask(socket, "CMS.INITBYDIM counts-" + client + " 100 3");
                ask(socket, "TOPK.RESERVE top-" + client + " 2");
                if (!added.isEmpty()) {
                    String kept = ask(socket, "BF.EXISTS filter-" + client + "-" + filter(added) + " item-" + added) + " "
                            + ask(socket, "CF.EXISTS carts-" + client + " item-" + added);
                    if (!kept.equals(":1 :1")) {
                        problem("item-" + added + " of client " + client + " is lost: " + kept);
                        return;
                    }
                }
                while (left()) {
                    String reply = ask(socket, "INCR count-" + client);
                    if (!reply.startsWith(":")) {
                        problem("the server refused INCR: " + reply);
                        return;
                    }
                    long count = Long.parseLong(reply.substring(1));
                    // One more may have been counted whose reply was lost.
                    if (count < acknowledged + 1 || count > acknowledged + 2) {
                        problem("count-" + client + " is " + count + " after " + acknowledged);
                        return;
                    }
                    acknowledged = count;
                    String item = Long.toString(count);
                    long filter = filter(item);
                    ask(socket, "BF.ADD filter-" + client + "-" + filter + " item-" + item);
                    if (count % FILTER_ITEMS == 0 && filter > 3) {
                        ask(socket, "DEL filter-" + client + "-" + (filter - 3));
                    }
                    if (!isKeptWhole(socket, client, item, carts)) {
                        return;
                    }
                    carts.add(item);
                    added = item;
                    count("changes of the server");
                }
            } catch (IOException e) {
                count("connections to the server lost");
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    private static long filter(String item) {
        return Long.parseLong(item) / FILTER_ITEMS;
    }

    /** One transaction on four keys: their counts are the same after it, or one of them was changed without the others. */
    private boolean isKeptWhole(Socket socket, int client, String item, Deque<String> carts) throws IOException {
        String last = carts.size() < CARTS
                ? "CF.EXISTS carts-" + client + " item-" + item
                : "CF.DEL carts-" + client + " item-" + carts.remove();
        send(
                socket,
                "MULTI",
                "INCR pairs-" + client,
                "CMS.INCRBY counts-" + client + " all 1",
                "TOPK.INCRBY top-" + client + " all 1",
                "TOPK.COUNT top-" + client + " all",
                "CF.ADD carts-" + client + " item-" + item,
                last,
                "EXEC");
        String reply = "";
        for (int i = 0; i < 8; i++) {
            reply = reply(socket.getInputStream());
        }
        String[] parts = reply.split(" ", -1);
        boolean isWhole = parts.length == 6
                && parts[0].startsWith(":")
                && parts[1].equals(parts[0])
                && parts[2].equals("$-1")
                && parts[3].equals(parts[0])
                && parts[4].equals(":1")
                && parts[5].equals(":1");
        if (!isWhole) {
            problem("a transaction of client " + client + " is not whole: " + reply);
        }
        return isWhole;
    }

    // Load

    private int via(SplittableRandom random) {
        int i = random.nextInt(PEERS);
        return peers[i].isAlive() ? ports[i] : ports[0];
    }

    /** Puts, gets and deletes, and knows what must be there. */
    private void files() throws Exception {
        SplittableRandom random = new SplittableRandom(2);
        for (int next = 0; left(); next++) {
            List<String> ids = List.copyOf(stored.keySet());
            int kind = random.nextInt(10);
            if (ids.size() < FILES && (ids.isEmpty() || kind < 4)) {
                Path file = out.resolve("file");
                Files.write(file, content(next));
                Outcome put = call(
                        "put",
                        "--via",
                        "127.0.0.1:" + via(random),
                        "--secret-file",
                        secret.toString(),
                        file.toString());
                count(put.code == 0 ? "puts" : "puts refused");
                if (put.code == 0) {
                    stored.put(put.firstWord(), next);
                }
            } else if (kind == 9 || ids.size() >= FILES) {
                String id = ids.get(random.nextInt(ids.size()));
                // Forgotten first: after a delete that was refused, the file may be there or not.
                stored.remove(id);
                Outcome delete =
                        call("delete", "--via", "127.0.0.1:" + via(random), "--secret-file", secret.toString(), id);
                count(delete.code == 0 ? "deletes" : "deletes refused");
            } else {
                get(ids.get(random.nextInt(ids.size())), 1);
            }
        }
    }

    /** A file that was acknowledged is there and right. While peers come and go, it may be out of reach for a while. */
    private void get(String id, int tries) throws Exception {
        Path copy = out.resolve("copy");
        Outcome last = null;
        for (int i = 0; i < tries; i++) {
            last = call(
                    "get",
                    "--via",
                    "127.0.0.1:" + ports[0],
                    "--secret-file",
                    secret.toString(),
                    id,
                    "-o",
                    copy.toString());
            if (last.code == 0) {
                count("gets");
                if (!Arrays.equals(Files.readAllBytes(copy), content(stored.get(id)))) {
                    problem("the content of " + id + " is wrong");
                }
                return;
            }
            count("gets refused");
            if (last.code == 1) {
                problem(id + " was acknowledged and is reported missing");
                return;
            }
        }
        if (tries > 1) {
            problem(id + " cannot be got at the end: " + last.said);
        }
    }

    private record Outcome(int code, String said) {
        String firstWord() {
            return said.strip().split("\\s+")[0];
        }
    }

    private Outcome call(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(perhaps));
        command.addAll(Arrays.asList(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        out.resolve("calls.log").toFile()))
                .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), said);
    }

    /** A client of the proxy: mostly plain; some post, some stop half way, some send half a head and go. */
    private void client(int number) throws Exception {
        SplittableRandom random = new SplittableRandom(100 + number);
        while (left()) {
            int page = (int) (PAGES * Math.pow(random.nextDouble(), 3));
            int kind = random.nextInt(20);
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxyPort)) {
                socket.setSoTimeout(60_000);
                String head = (kind == 0 ? "POST /" : "GET /") + page
                        + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                        + (kind == 0 ? "Content-Length: 5\r\n\r\nhello" : "\r\n");
                if (kind == 1) {
                    socket.getOutputStream().write(head.substring(0, 20).getBytes(StandardCharsets.US_ASCII));
                    count("heads left half way");
                    continue;
                }
                socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
                InputStream in = socket.getInputStream();
                if (kind == 2) {
                    in.readNBytes(100);
                    count("responses left half way");
                    continue;
                }
                byte[] answer = in.readAllBytes();
                String text = new String(answer, StandardCharsets.ISO_8859_1);
                int body = text.indexOf("\r\n\r\n") + 4;
                if (!text.startsWith("HTTP/1.1 200")
                        || body < 4
                        || !Arrays.equals(answer, body, answer.length, page(page), 0, page(page).length)) {
                    problem("page " + page + " came wrong: "
                            + text.lines().findFirst().orElse("nothing"));
                    return;
                }
                count("pages");
            } catch (IOException e) {
                problem("the proxy did not serve page " + page + ": " + e);
                return;
            }
        }
    }

    private static int number(String path) {
        return Integer.parseInt(path.substring(1));
    }

    private static byte[] page(int number) {
        return bytes(number, 100 + (int) (Math.abs(number * 2_654_435_761L) % MAX_PAGE_BYTES));
    }

    private static byte[] content(int number) {
        return bytes(number + 1_000_000L, 1 + (int) (Math.abs(number * 2_654_435_761L) % MAX_FILE_BYTES));
    }

    private static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    // Samples

    private void sample() {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos);
        for (int i = 0; i < PEERS; i++) {
            sample(seconds, "peer" + i, peers[i], out.resolve("peer" + i));
        }
        sample(seconds, "proxy", proxy, null);
        sample(seconds, "server", server, out.resolve("server"));
        if (!proxy.isAlive()) {
            problem("the proxy ended by itself: see proxy.log");
        }
        if (!peers[0].isAlive()) {
            problem("peer 0 ended by itself: see peer0.log");
        }
    }

    private void sample(long seconds, String name, Process process, Path folder) {
        Path proc = Path.of("/proc", Long.toString(process.pid()));
        try (Stream<Path> descriptors = Files.list(proc.resolve("fd"))) {
            long memory = 0;
            for (String line : Files.readAllLines(proc.resolve("status"))) {
                memory = line.startsWith("VmRSS:") ? 1024 * Long.parseLong(line.replaceAll("\\D", "")) : memory;
            }
            samples.add(new Sample(seconds, name, memory, descriptors.count(), folder == null ? 0 : bytesIn(folder)));
        } catch (IOException | java.io.UncheckedIOException e) {
            count("samples missed"); // it was being started again
        }
    }

    private static long bytesIn(Path folder) throws IOException {
        long[] sum = {0};
        try (Stream<Path> files = Files.walk(folder)) {
            files.forEach(
                    file -> sum[0] += Files.isRegularFile(file) ? file.toFile().length() : 0);
        }
        return sum[0];
    }

    private interface Figure {
        long of(Sample sample);
    }

    private void check() {
        long last = samples.get(samples.size() - 1).seconds;
        // Peers are started again and again: all together are what is bounded, the largest at any time of each quarter.
        bounded("proxy", "memory", Sample::memoryBytes, last, MEMORY_SLACK_BYTES);
        bounded("proxy", "descriptors", Sample::descriptors, last, DESCRIPTOR_SLACK);
        bounded("peer", "memory", Sample::memoryBytes, last, MEMORY_SLACK_BYTES);
        bounded("peer", "descriptors", Sample::descriptors, last, DESCRIPTOR_SLACK);
        bounded("server", "memory", Sample::memoryBytes, last, MEMORY_SLACK_BYTES);
        bounded("server", "descriptors", Sample::descriptors, last, DESCRIPTOR_SLACK);
        long serverDisk = 0;
        for (Sample sample : samples) {
            serverDisk = sample.process.equals("server") ? Math.max(serverDisk, sample.diskBytes) : serverDisk;
        }
        System.out.printf("%-28s %,d at most%n", "server disk", serverDisk);
        if (serverDisk > MAX_SERVER_DISK_BYTES) {
            problem("the server had " + serverDisk + " bytes on disk, at most " + MAX_SERVER_DISK_BYTES + " are due");
        }
        long mostDisk = (long) FILES * MAX_FILE_BYTES * (REPLICAS + 2) * 2;
        long disk = 0;
        for (Sample sample : samples) {
            if (sample.seconds == last && sample.process.startsWith("peer")) {
                disk += sample.diskBytes;
            }
        }
        if (disk > mostDisk) {
            problem("the peers have " + disk + " bytes on disk, at most " + mostDisk + " are due");
        }
    }

    private void bounded(String who, String what, Figure figure, long last, long slack) {
        long early = 0;
        long late = 0;
        for (Sample sample : samples) {
            if (sample.process.startsWith(who)) {
                boolean isEarly = sample.seconds >= last / 4 && sample.seconds < last / 2;
                early = isEarly ? Math.max(early, figure.of(sample)) : early;
                late = sample.seconds >= 3 * last / 4 ? Math.max(late, figure.of(sample)) : late;
            }
        }
        System.out.printf("%-28s %,d in the second quarter, %,d in the last%n", who + " " + what, early, late);
        if (late > MAX_GROWTH * early + slack) {
            problem(who + ": " + what + " grew from " + early + " to " + late);
        }
    }

    private void write() throws IOException {
        StringBuilder csv = new StringBuilder("seconds,process,memoryBytes,descriptors,diskBytes\n");
        for (Sample s : samples) {
            csv.append(s.seconds)
                    .append(',')
                    .append(s.process)
                    .append(',')
                    .append(s.memoryBytes)
                    .append(',')
                    .append(s.descriptors)
                    .append(',')
                    .append(s.diskBytes)
                    .append('\n');
        }
        Files.writeString(out.resolve("soak.csv"), csv);
        StringBuilder svg = new StringBuilder(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"690\" font-family=\"sans-serif\""
                        + " font-size=\"12\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        plot(svg, 0, "resident memory, MiB", s -> s.memoryBytes >> 20);
        plot(svg, 1, "open descriptors", Sample::descriptors);
        plot(svg, 2, "bytes on disk, MiB", s -> s.diskBytes >> 20);
        Files.writeString(out.resolve("soak.svg"), svg.append("</svg>\n"));
    }

    private void plot(StringBuilder svg, int row, String title, Figure figure) {
        String[] colours = {"#1b6ca8", "#d1495b", "#2e933c", "#edae49", "#7a5195", "#333333", "#00838f"};
        int top = 30 + 225 * row;
        long most = Math.max(1, samples.stream().mapToLong(figure::of).max().orElse(1));
        long last = Math.max(1, samples.get(samples.size() - 1).seconds);
        svg.append(
                String.format("<text x=\"60\" y=\"%d\">%s (%,d at most; %,d s)</text>%n", top - 8, title, most, last));
        svg.append(String.format(
                "<rect x=\"60\" y=\"%d\" width=\"580\" height=\"180\" fill=\"none\" stroke=\"#bbb\"/>%n", top));
        List<String> names =
                samples.stream().map(Sample::process).distinct().sorted().toList();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            svg.append("<polyline fill=\"none\" stroke=\"")
                    .append(colours[i % colours.length])
                    .append("\" points=\"");
            for (Sample s : samples) {
                if (s.process.equals(name)) {
                    svg.append(String.format(
                            "%d,%d ", 60 + 580 * s.seconds / last, top + 180 - 180 * figure.of(s) / most));
                }
            }
            svg.append("\"/>\n");
            svg.append(String.format(
                    "<text x=\"650\" y=\"%d\" fill=\"%s\">%s</text>%n",
                    top + 15 + 18 * i, colours[i % colours.length], name));
        }
    }
}
