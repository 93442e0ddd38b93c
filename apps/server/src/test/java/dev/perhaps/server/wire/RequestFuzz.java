package dev.perhaps.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes are requests or an error, the same whether they come at once or one by one. */
class RequestFuzz {
    static Stream<Arguments> seeds() {
        return Stream.of(
                        "*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\nPING\r\n",
                        "ECHO \"a\\x41\\n\" 'b\\'c'\r\n\r\n*0\r\n",
                        "*1\r\n$-1\r\n",
                        "*-1\r\n*1048577\r\n",
                        "GET / HTTP/1.1\r\nHost: a\r\n",
                        "\u0016\u0003\u0001",
                        "*1\r\n$3\r\nab")
                .map(text -> Arguments.of((Object) text.getBytes(StandardCharsets.ISO_8859_1)));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "1m")
    void requests(byte[] bytes) {
        if (bytes != null) {
            assertThat(read(bytes, 1)).isEqualTo(read(bytes, Math.max(1, bytes.length)));
        }
    }

    private static List<String> read(byte[] bytes, int step) {
        RequestReader reader = new RequestReader(1 << 16);
        ByteBuf in = Unpooled.buffer();
        List<String> all = new ArrayList<>();
        try {
            for (int from = 0; from < bytes.length; from += step) {
                in.writeBytes(bytes, from, Math.min(step, bytes.length - from));
                for (byte[][] words = reader.next(in, true); words != null; words = reader.next(in, true)) {
                    all.add(Arrays.deepToString(words));
                }
            }
        } catch (ProtocolError e) {
            all.add(e.getMessage());
        }
        return all;
    }
}
