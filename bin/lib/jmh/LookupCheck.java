import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BlockedBloom;
import dev.perhaps.membership.CountingBloom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Lookups that hit, of a million longs, as 'bin/bench membership --quick' has them; for bin/check-jmh. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class LookupCheck {
    private static final int KEYS = 1_000_000;
    /** Odd, and prime to KEYS: the keys are looked up in another order than they were added. */
    private static final long STEP = 387_420_489;

    private final long[] keys = new long[KEYS];
    private dev.perhaps.membership.BloomFilter<Long> bloom;
    private BlockedBloom<Long> blocked;
    private CountingBloom<Long> counting;
    private BloomFilter<Long> guava;

    @Setup
    public void build() {
        bloom = dev.perhaps.membership.BloomFilter.expecting(KEYS).of(Key.longs()).build();
        blocked = BlockedBloom.expecting(KEYS)
                .memoryBytes(KEYS * 12L / Byte.SIZE)
                .of(Key.longs())
                .build();
        counting = CountingBloom.expecting(KEYS).of(Key.longs()).build();
        guava = BloomFilter.create(Funnels.longFunnel(), KEYS, 0.01);
        for (int i = 0; i < KEYS; i++) {
            keys[(int) (i * STEP % KEYS)] = i * 0x9E3779B97F4A7C15L;
        }
        for (int i = 0; i < KEYS; i++) {
            long key = i * 0x9E3779B97F4A7C15L;
            long hash = Key.longs().hash(key);
            bloom.addHash(hash);
            blocked.addHash(hash);
            counting.addHash(hash);
            guava.put(key);
        }
    }

    @Benchmark
    @OperationsPerInvocation(KEYS)
    public int bloom() {
        int found = 0;
        for (long key : keys) {
            found += bloom.mightContainHash(Key.longs().hash(key)) ? 1 : 0;
        }
        return found;
    }

    @Benchmark
    @OperationsPerInvocation(KEYS)
    public int blocked() {
        int found = 0;
        for (long key : keys) {
            found += blocked.mightContainHash(Key.longs().hash(key)) ? 1 : 0;
        }
        return found;
    }

    @Benchmark
    @OperationsPerInvocation(KEYS)
    public int counting() {
        int found = 0;
        for (long key : keys) {
            found += counting.mightContainHash(Key.longs().hash(key)) ? 1 : 0;
        }
        return found;
    }

    @Benchmark
    @OperationsPerInvocation(KEYS)
    public int guava() {
        int found = 0;
        for (long key : keys) {
            found += guava.mightContain(key) ? 1 : 0;
        }
        return found;
    }
}
