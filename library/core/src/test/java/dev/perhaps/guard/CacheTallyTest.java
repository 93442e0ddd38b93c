package dev.perhaps.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class CacheTallyTest {
    private static CacheTally tally(long hits, long misses, double lookup, double origin) {
        CacheTally tally = new CacheTally();
        tally.add(new CacheTally.Batch(hits, misses));
        tally.lookupCost(lookup);
        tally.originCost(origin);
        return tally;
    }

    @Test
    void advisesWhatTheFormulasSay() {
        CacheTally.Recommendation cold = tally(2, 998, 1, 10).advise(0.01).orElseThrow();
        assertThat(cold.action()).isEqualTo(Guard.Action.NEVER);
        assertThat(cold.sure()).isTrue();
        assertThat(cold.never()).isEqualTo(10);
        assertThat(cold.consult()).isNaN();
        assertThat(cold.always()).isCloseTo(1 + (1 - cold.hitRate().value()) * 10, within(1e-9));
        assertThat(cold.hitRate().value()).isBetween(0.002, 0.004);
        CacheTally.Recommendation warm = tally(500, 500, 1, 10).advise(0.01).orElseThrow();
        assertThat(warm.action()).isEqualTo(Guard.Action.ALWAYS);
        assertThat(warm.hitRate().value()).isCloseTo(0.5, within(0.001));
        assertThat(warm.hitRate().low()).isBetween(0.45, 0.48);
        // At 10 % a lookup costs as much as it saves: neither choice is sure.
        assertThat(tally(100, 900, 1, 10).advise(0.01).orElseThrow().sure()).isFalse();
        CacheTally filtered = tally(300, 700, 1, 10);
        filtered.filterCost(0.01);
        assertThat(filtered.advise(0.01).orElseThrow().action()).isEqualTo(Guard.Action.CONSULT);
        CacheTally store = new CacheTally();
        store.add(new CacheTally.Batch(0, 1_000));
        store.lookupCost(3);
        assertThat(store.advise(0).orElseThrow().action()).isEqualTo(Guard.Action.ALWAYS);
        assertThat(store.advise(0).orElseThrow().never()).isNaN();
    }

    @Test
    void saysNothingWithoutReportsOrCosts() {
        CacheTally tally = new CacheTally();
        assertThat(tally.advise(0.01)).isEmpty();
        assertThat(tally.hitRate().value()).isNaN();
        tally.add(new CacheTally.Batch(1, 1));
        assertThat(tally.advise(0.01)).isEmpty();
        tally.lookupCost(1);
        assertThat(tally.advise(0.01)).isPresent();
        assertThatThrownBy(() -> tally.lookupCost(-1)).hasMessageContaining("-1");
        assertThatThrownBy(() -> tally.advise(2)).hasMessageContaining("2");
        assertThatThrownBy(() -> new CacheTally.Batch(-1, 0)).hasMessageContaining("-1");
    }

    /** A cache that turns cold after a million hits is known as cold, below 10 %, after some hundreds of requests. */
    @Test
    void forgetsWhatIsNoLongerTrue() {
        CacheTally tally = tally(1_000_000, 0, 1, 10);
        int asked = 0;
        while (tally.advise(0.01).orElseThrow().action() != Guard.Action.NEVER) {
            tally.add(new CacheTally.Batch(0, 1));
            asked++;
        }
        assertThat(asked).isLessThan(500);
        assertThat(tally.hits()).isEqualTo(1_000_000);
        assertThat(tally.misses()).isEqualTo(asked);
    }

    @Test
    void goesOnAsItWasAfterAFile() throws IOException {
        CacheTally tally = tally(10, 90, 2, 20);
        tally.filterCost(0.1);
        byte[] bytes = bytes(tally);
        assertThat(bytes).hasSize(CacheTally.fileBytes());
        CacheTally read = read(bytes);
        assertThat(bytes(read)).isEqualTo(bytes);
        CacheTally copy = tally.copy();
        for (CacheTally each : new CacheTally[] {tally, read, copy}) {
            each.add(new CacheTally.Batch(3, 4));
            each.lookupCost(5);
        }
        assertThat(bytes(read)).isEqualTo(bytes(tally));
        assertThat(bytes(copy)).isEqualTo(bytes(tally));
        bytes[1] = -1;
        assertThatThrownBy(() -> read(bytes)).isInstanceOf(FormatException.class);
    }

    private static byte[] bytes(CacheTally tally) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        tally.writeTo(new DataOutputStream(out));
        return out.toByteArray();
    }

    private static CacheTally read(byte[] bytes) throws IOException {
        return CacheTally.readFrom(new DataInputStream(new ByteArrayInputStream(bytes)));
    }
}
