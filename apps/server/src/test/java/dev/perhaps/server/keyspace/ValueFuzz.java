package dev.perhaps.server.keyspace;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.perhaps.frequency.SlidingCounts;
import dev.perhaps.frequency.SlidingTopK;
import dev.perhaps.guard.CacheTally;
import dev.perhaps.key.Key;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.index.SimilarityIndex;
import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The content of RESTORE, whose sum anybody can compute: any bytes are a value that is written as it was read, or one exception. */
class ValueFuzz {
    private static final int MAX_BYTES = 1 << 20;

    private static byte[] written(Value value) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(value.type().number());
        value.writeTo(out);
        return out.toByteArray();
    }

    static Stream<Arguments> values() throws IOException {
        LeakedHashesValue leaked = new LeakedHashesValue();
        leaked.add(new byte[20], 1);
        leaked.add("a hash of twenty byt".getBytes(StandardCharsets.US_ASCII), 7);
        CacheTally tally = new CacheTally();
        tally.add(new CacheTally.Batch(3, 997));
        tally.lookupCost(1);
        SlidingCounts<byte[]> counts = SlidingCounts.last(Duration.ofHours(1))
                .width(4)
                .depth(2)
                .of(Key.bytes())
                .build();
        counts.addHash(1, 5, 1_700_000_000_000L);
        SlidingTopK<byte[]> top =
                SlidingTopK.last(Duration.ofHours(1)).k(1).of(Key.bytes()).build();
        top.add(new byte[] {'a'}, 5, 1_700_000_000_000L);
        SimilarityIndex index =
                SimilarityIndex.of(MinHash.of(8).of(Key.bytes())).threshold(0.5).build();
        index.add("a", new long[] {1, 2});
        index.add("b", new long[] {1, 2});
        RingValue ring = new RingValue(2);
        List<Value> all = List.of(
                leaked,
                new GuardValue(tally, 0.01),
                new SketchValue(counts),
                new SketchValue(top),
                new SketchValue(index),
                ring,
                new StringValue(new byte[] {'x'}));
        Stream.Builder<Arguments> seeds = Stream.builder();
        for (Value value : all) {
            seeds.add(Arguments.of((Object) written(value)));
        }
        return seeds.build();
    }

    @MethodSource("values")
    @FuzzTest(maxDuration = "1m")
    void values(byte[] bytes) throws IOException {
        if (bytes == null || bytes.length == 0) {
            return;
        }
        ByteArrayInputStream in = new ByteArrayInputStream(bytes, 1, bytes.length - 1);
        try {
            Value value = ValueType.numbered(bytes[0]).read(in, MAX_BYTES);
            assertThat(value.sizeBytes()).isPositive();
            byte[] once = written(value);
            assertThat(once.length).isEqualTo(1 + value.fileBytes());
            Value again = ValueType.numbered(once[0])
                    .read(new ByteArrayInputStream(once, 1, once.length - 1), Integer.MAX_VALUE);
            assertThat(written(again)).isEqualTo(once);
            assertThat(written(again.copy())).isEqualTo(once);
        } catch (FormatException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }
}
