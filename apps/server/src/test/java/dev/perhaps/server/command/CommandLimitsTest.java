package dev.perhaps.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.server.operation.ServerSettings;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commands that took seconds to hours, or ended the connection by an error of this program: each ends soon now. */
@Timeout(120)
class CommandLimitsTest {
    private static final int MANY = 500_000;

    private final TestDatabase server = new TestDatabase();

    @AfterEach
    void release() {
        server.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** This many words, of which the last ones are these in turn. */
    private static byte[][] words(int count, String first, String second, String... rest) {
        byte[][] words = new byte[count][];
        words[0] = bytes(first);
        words[1] = bytes(second);
        byte[][] turns = Arrays.stream(rest).map(CommandLimitsTest::bytes).toArray(byte[][]::new);
        for (int i = 2; i < count; i++) {
            words[i] = turns[(i - 2) % turns.length];
        }
        return words;
    }

    /** Each byte of each name was looked for in the whole set. */
    @Test
    void aPatternOfConfigThatTakesLongIsRefused() {
        byte[] set = new byte[32 << 20];
        Arrays.fill(set, (byte) 'x');
        set[0] = '[';
        set[1] = '^';
        assertThat(server.run(server.session, bytes("CONFIG"), bytes("GET"), set))
                .startsWith("-ERR to match this");
        assertThat(server.run(server.session, words(MANY, "CONFIG", "GET", "*[abcdefghijklmn]*[opqrstuvwxyz]*[0123]")))
                .startsWith("-ERR to match");
        assertThat(server.run("CONFIG GET maxmemory* max?lients")).startsWith("*6\r\n");
    }

    /** Filters were nested: StackOverflowError. */
    @Test
    void manyConditionsOfKillAreFew() {
        server.session(bytes -> true);
        assertThat(server.run(server.session, words(MANY, "CLIENT", "KILL", "TYPE", "normal")))
                .isEqualTo(":1\r\n");
        assertThat(server.run("CLIENT KILL ID 1 ID 2")).isEqualTo(":0\r\n");
        assertThat(server.run("CLIENT KILL ID 2 ID 2")).isEqualTo(":1\r\n");
        assertThat(server.run("CLIENT KILL TYPE normal TYPE replica")).isEqualTo(":0\r\n");
        assertThat(server.run("CLIENT KILL USER nobody ID 1")).startsWith("-ERR No such user 'nobody'");
        assertThat(server.run(server.session, words(MANY, "CLIENT", "KILL", "USER", "default")))
                .isEqualTo(":1\r\n");
    }

    /** All users were copied for each name. */
    @Test
    void manyUsersAreRemovedAtOnce() {
        for (int i = 0; i < 9_000; i++) {
            server.users.set("user-" + i, List.of());
        }
        byte[][] words = words(MANY, "ACL", "DELUSER", "none");
        for (int i = 0; i < 9_000; i++) {
            words[MANY - 1 - i] = bytes("user-" + i);
        }
        assertThat(server.run(server.session, words)).isEqualTo(":9000\r\n");
        assertThat(server.users.names()).containsExactly("default");
        assertThat(server.run("ACL DELUSER a default")).startsWith("-ERR The 'default' user cannot be removed");
    }

    /** Ten thousand patterns and a million keys are ten thousand million questions, none of which was counted. */
    @Test
    void keysThatAreMatchedWithManyPatternsAreWork() {
        StringBuilder rules = new StringBuilder("ACL SETUSER default resetkeys");
        for (int i = 0; i < 9_000; i++) {
            rules.append(" ~tenant-").append(i).append(":*");
        }
        assertThat(server.run(rules.toString())).isEqualTo("+OK\r\n");
        assertThat(server.run("EXISTS tenant-8999:a tenant-0:b")).isEqualTo(":0\r\n");
        assertThat(server.run("EXISTS tenant-8999:a other")).startsWith("-NOPERM");
        byte[][] words = words(MANY, "EXISTS", "tenant-8999:a", "tenant-8999:a");
        assertThat(server.run(server.session, words)).startsWith("-ERR to match this pattern");
    }

    /** A transaction could ask for the list of ten thousand clients as often as it liked. */
    @Test
    void aListOfClientsIsWorkOfATransaction() {
        for (int i = 0; i < 9_000; i++) {
            server.session(bytes -> true);
        }
        server.run("MULTI");
        for (int i = 0; i < 500; i++) {
            server.run("CLIENT LIST ID 1");
        }
        server.run("EXEC");
        String replies = server.out.toString(StandardCharsets.ISO_8859_1);
        assertThat(replies).contains("-ERR the commands of a transaction may take");
        assertThat(replies.split("id=1 ", -1)).hasSizeGreaterThan(300);
    }

    /** Each key was looked up and removed, while all locks were held. */
    @Test
    void allKeysGoAtOnce() {
        long start = System.nanoTime();
        for (int i = 0; i < MANY; i++) {
            server.run("SET key-" + i + " v");
        }
        long setNanos = System.nanoTime() - start;
        server.run("SET watched 1");
        server.run("WATCH watched never-there");
        ClientSession other = server.session(bytes -> true);
        server.run(other, "WATCH never-there");
        start = System.nanoTime();
        assertThat(server.run("FLUSHALL")).isEqualTo("+OK\r\n");
        assertThat(System.nanoTime() - start)
                .as("nanoseconds, where to set them took " + setNanos)
                .isLessThan(setNanos / 20);
        assertThat(server.keyspace.usedBytes()).isZero();
        assertThat(server.run("DBSIZE")).isEqualTo(":0\r\n");
        assertThat(server.run("GET key-7")).isEqualTo("$-1\r\n");
        server.run("MULTI");
        server.run("SET a 1");
        assertThat(server.run("EXEC")).as("a watched key has gone").isEqualTo("*-1\r\n");
        server.run(other, "MULTI");
        server.run(other, "SET a 1");
        assertThat(server.run(other, "EXEC")).as("a key that was not there").isEqualTo("*1\r\n+OK\r\n");
        assertThat(server.keyspace.usedBytes()).isPositive();
        assertThat(server.run("DEL a")).isEqualTo(":1\r\n");
        assertThat(server.keyspace.usedBytes()).isZero();
    }

    /** It was sorted for seconds, and not counted. */
    @Test
    void aLongListIsWork() {
        assertThat(server.run("CONFIG SET maxmemory " + server.settings.maxMemory.mostBytes()))
                .isEqualTo("+OK\r\n");
        assertThat(server.run("TOPK.RESERVE t 4000000 8 1 0.9")).isEqualTo("+OK\r\n");
        assertThat(server.run("TOPK.LIST t")).startsWith("-ERR 'topk.list' would take");
        assertThat(server.run("TOPK.RESERVE small 1000 8 1 0.9")).isEqualTo("+OK\r\n");
        assertThat(server.run("TOPK.LIST small")).isEqualTo("*0\r\n");
    }

    // Settings

    @Test
    void anErrorRateAboveAQuarterIsAQuarter() {
        assertThat(server.run("CONFIG SET bf-error-rate 0.5")).isEqualTo("+OK\r\n");
        assertThat(server.run("CONFIG GET bf-error-rate")).endsWith("$4\r\n0.25\r\n");
        assertThat(server.run("CONFIG SET bf-error-rate 0.2")).isEqualTo("+OK\r\n");
        assertThat(server.run("CONFIG GET bf-error-rate")).endsWith("$3\r\n0.2\r\n");
    }

    @Test
    void aCuckooFilterBeginsWithTwoBuckets() {
        assertThat(server.run("CONFIG SET cf-bucket-size 8")).isEqualTo("+OK\r\n");
        assertThat(server.run("CONFIG SET cf-initial-size 15"))
                .contains("Value for `cf-initial-size` must be in the range [16, 1073741824]");
        assertThat(server.run("CONFIG SET cf-initial-size 16")).isEqualTo("+OK\r\n");
        assertThat(server.run("CONFIG SET cf-initial-size 8 cf-bucket-size 4")).isEqualTo("+OK\r\n");
    }

    /** It was shown, and commands were refused at three quarters of the heap, beside which requests had no room. */
    @Test
    void memoryThatJavaDoesNotHaveIsRefused() {
        long heap = Runtime.getRuntime().maxMemory();
        assertThat(server.run("CONFIG SET maxmemory " + heap)).contains("'maxmemory') - Java has memory for");
        assertThat(server.run("CONFIG SET maxmemory " + heap / 4)).isEqualTo("+OK\r\n");
        long others = heap / 2;
        assertThat(ServerSettings.mostKeyBytes(others)).isBetween(heap / 10 * 4 - heap / 10, heap / 10 * 4);
        server.settings.keysBeside(others);
        assertThat(server.run("CONFIG SET maxmemory " + heap / 2)).contains("'maxmemory') - Java has memory for");
        assertThat(server.database.memory().maxKeyBytes()).isLessThan(heap / 10 * 4);
    }
}
