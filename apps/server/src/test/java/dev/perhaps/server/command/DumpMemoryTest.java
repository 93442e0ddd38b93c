package dev.perhaps.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Dumps are written into the memory of replies, which has a limit, and take nothing of Java's heap, which nobody counts. */
class DumpMemoryTest {
    private static final long LITTLE_BYTES = 1 << 20;
    private final TestDatabase server = new TestDatabase();

    @AfterEach
    void release() {
        server.close();
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    /** It took two to three times the value. */
    @ParameterizedTest
    @CsvSource({
        "BF.RESERVE f 0.01 30000000, 35000000",
        "CF.RESERVE f 30000000 BUCKETSIZE 4, 33000000",
        "CMS.INITBYDIM f 1000000 5, 19000000",
    })
    void aDumpTakesNothingOfTheHeap(String reserve, int leastBytes) {
        assertThat(server.run(reserve)).isEqualTo("+OK\r\n");
        server.run("DUMP f");
        long before = allocated();
        server.run("DUMP f");
        long heap = allocated() - before;
        assertThat(server.out.readableBytes()).isGreaterThan(leastBytes);
        assertThat(heap).as("bytes of the heap").isLessThan(LITTLE_BYTES);
    }

    /** The heap had been taken before the reply was refused: a client that does not read could have it taken all the time. */
    @Test
    void aDumpThatNobodyHasMemoryForTakesNone() {
        assertThat(server.run("BF.RESERVE bloom 0.01 30000000")).isEqualTo("+OK\r\n");
        assertThat(server.run("CF.RESERVE cuckoo 30000000")).isEqualTo("+OK\r\n");
        server.run("CF.ADD cuckoo item");
        ClientSession poor = server.session(bytes -> false);
        server.run(poor, "DUMP bloom");
        long before = allocated();
        assertThat(server.run(poor, "DUMP bloom")).startsWith("-ERR ");
        assertThat(server.run(poor, "BF.SCANDUMP bloom 1")).startsWith("-ERR ");
        assertThat(server.run(poor, "CF.SCANDUMP cuckoo 1")).startsWith("-ERR ");
        assertThat(allocated() - before).isLessThan(LITTLE_BYTES);
    }
}
