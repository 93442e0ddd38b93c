import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32C;

/**
 * Pages whose content follows from their number, and a client that asks for them many times and compares every byte.
 *
 *     java ProxyCheck.java pages DIR COUNT                      writes DIR/0 … DIR/COUNT-1
 *     java ProxyCheck.java verify HOST PORTS PATHS COUNT REQUESTS   asks for PATH/n, small n more often; the last line says how many
 *                                                               were wrong. PORTS and PATHS have commas between them, and take turns
 */
public final class ProxyCheck {
    private static final int CLIENTS = 32;
    private static final int MAX_BYTES = 32 << 10;

    public static void main(String[] args) throws Exception {
        if (args[0].equals("pages")) {
            Files.createDirectories(Path.of(args[1]));
            for (int i = 0; i < Integer.parseInt(args[2]); i++) {
                Files.write(Path.of(args[1], Integer.toString(i)), page(i));
            }
        } else {
            int[] ports = Arrays.stream(args[2].split(","))
                    .mapToInt(Integer::parseInt)
                    .toArray();
            new ProxyCheck(args[1], ports, args[3].split(","), Integer.parseInt(args[4]))
                    .verify(Integer.parseInt(args[5]));
        }
    }

    /** From none to 32 KiB, sizes of all kinds. */
    static byte[] page(int number) {
        SplittableRandom random = new SplittableRandom(number);
        byte[] page = new byte[number % 97 == 0 ? 0 : random.nextInt(1 << (1 + random.nextInt(15)))];
        random.nextBytes(page);
        return page.length <= MAX_BYTES ? page : Arrays.copyOf(page, MAX_BYTES);
    }

    private final String host;
    private final int[] ports;
    private final String[] paths;
    private final long[] sums;
    private final AtomicInteger left = new AtomicInteger();
    private final LongAdder wrong = new LongAdder();
    private final Map<String, LongAdder> from = new ConcurrentHashMap<>();

    private ProxyCheck(String host, int[] ports, String[] paths, int count) {
        this.host = host;
        this.ports = ports;
        this.paths = paths;
        this.sums = new long[count];
        Arrays.setAll(sums, i -> sum(page(i)));
    }

    private static long sum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return crc.getValue() << 32 | bytes.length;
    }

    private void verify(int requests) throws InterruptedException {
        left.set(requests);
        long start = System.nanoTime();
        Thread[] clients = new Thread[CLIENTS];
        for (int i = 0; i < CLIENTS; i++) {
            SplittableRandom random = new SplittableRandom(1_000_003L * i);
            int port = ports[i % ports.length];
            clients[i] = new Thread(() -> run(random, port));
            clients[i].start();
        }
        for (Thread client : clients) {
            client.join();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        new TreeMap<>(from).forEach((status, count) -> System.out.printf("%,12d  %s%n", count.sum(), status));
        System.out.printf(
                "%,d requests in %.0f s, %,.0f a second: %d wrong%n",
                requests, seconds, requests / seconds, wrong.sum());
        System.exit(wrong.sum() == 0 ? 0 : 1);
    }

    private void run(SplittableRandom random, int port) {
        while (left.get() > 0) {
            try (Socket socket = new Socket(host, port)) {
                socket.setTcpNoDelay(true);
                socket.setSoTimeout(30_000);
                InputStream in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
                while (left.getAndDecrement() > 0) {
                    int number = (int) (sums.length * Math.pow(random.nextDouble(), 3));
                    ask(paths[random.nextInt(paths.length)], number, in, socket.getOutputStream());
                }
            } catch (IOException e) {
                wrong.increment();
                System.out.println(e);
            }
        }
    }

    private void ask(String path, int number, InputStream in, OutputStream out) throws IOException {
        out.write(("GET " + path + "/" + number + " HTTP/1.1\r\nHost: check\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        String status = line(in);
        int length = -1;
        String cache = "";
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            if (line.regionMatches(true, 0, "Content-Length: ", 0, 16)) {
                length = Integer.parseInt(line.substring(16));
            } else if (line.regionMatches(true, 0, "Cache-Status: ", 0, 14)) {
                cache = line.substring(line.indexOf(';') + 2);
            }
        }
        byte[] body = in.readNBytes(length);
        from.computeIfAbsent(cache, any -> new LongAdder()).increment();
        if (!status.startsWith("HTTP/1.1 200") || sum(body) != sums[number]) {
            wrong.increment();
            System.out.println("page " + number + ": " + status + ", " + body.length + " bytes");
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new IOException("the connection ended early");
            }
            if (b != '\r') {
                line.append((char) b);
            }
        }
        return line.toString();
    }
}
