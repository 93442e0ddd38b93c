package dev.perhaps.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.operation.ServerSettings;
import dev.perhaps.server.wire.ReplyWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Dumps are written into the memory of replies, which has a limit, and take nothing of Java's heap, which nobody counts. */
class DumpMemoryTest {
    private static final long LITTLE_BYTES = 1 << 20;
    private static final ClientSession.Connection NOBODY = new ClientSession.Connection() {
        @Override
        public void closeAfterReplies() {}

        @Override
        public void kill() {}

        @Override
        public void send(String line) {}
    };

    private final Database database =
            new Database(new Keyspace(42), new ServerSettings(), new Users(), () -> 1_700_000_000_000L, 7);
    private final ByteBuf out = Unpooled.directBuffer();
    private final ClientSession session = session(bytes -> true);

    private ClientSession session(ReplyWriter.Memory memory) {
        ClientSession made = new ClientSession(1, "test", "test", 0, NOBODY, new ReplyWriter(out, memory));
        database.connect(made);
        return made;
    }

    @AfterEach
    void release() {
        out.release();
    }

    private String run(ClientSession client, String line) {
        String[] texts = line.split(" ");
        byte[][] words = new byte[texts.length][];
        for (int i = 0; i < words.length; i++) {
            words[i] = texts[i].getBytes(StandardCharsets.ISO_8859_1);
        }
        out.clear();
        database.run(client, words);
        return out.toString(out.readerIndex(), Math.min(out.readableBytes(), 64), StandardCharsets.ISO_8859_1);
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
        assertThat(run(session, reserve)).isEqualTo("+OK\r\n");
        run(session, "DUMP f");
        long before = allocated();
        run(session, "DUMP f");
        long heap = allocated() - before;
        assertThat(out.readableBytes()).isGreaterThan(leastBytes);
        assertThat(heap).as("bytes of the heap").isLessThan(LITTLE_BYTES);
    }

    /** The heap had been taken before the reply was refused: a client that does not read could have it taken all the time. */
    @Test
    void aDumpThatNobodyHasMemoryForTakesNone() {
        assertThat(run(session, "BF.RESERVE bloom 0.01 30000000")).isEqualTo("+OK\r\n");
        assertThat(run(session, "CF.RESERVE cuckoo 30000000")).isEqualTo("+OK\r\n");
        run(session, "CF.ADD cuckoo item");
        ClientSession poor = session(bytes -> false);
        run(poor, "DUMP bloom");
        long before = allocated();
        assertThat(run(poor, "DUMP bloom")).startsWith("-ERR ");
        assertThat(run(poor, "BF.SCANDUMP bloom 1")).startsWith("-ERR ");
        assertThat(run(poor, "CF.SCANDUMP cuckoo 1")).startsWith("-ERR ");
        assertThat(allocated() - before).isLessThan(LITTLE_BYTES);
    }
}
