package dev.perhaps.frequency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.frame.Frame;
import dev.perhaps.frequency.EventStreams.Shape;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FlowsTest {
    @Test
    void isPlannedByFlowsAndInnocents() {
        Flows.Sizing sizing =
                Flows.above(1_000).expecting(10_000).innocents(0.001).sizing();
        assertThat(sizing.depth()).isEqualTo(10);
        assertThat(sizing.bytes())
                .isEqualTo(Flows.above(1_000).expecting(10_000).build().sizeBytes());
        assertThat(sizing.innocents()).isBetween(0.00099, 0.001);
        assertThat(sizing.bytes() * 8 / 10_000.0).isBetween(460.0, 463.0);
        assertThat(sizing.cells()).isEqualTo(CountMin.Cells.BITS_32);
        assertThat(Flows.above(4_294_967_295L).sizing().cells()).isEqualTo(CountMin.Cells.BITS_64);
        assertThat(sizing.toString()).contains("flows above 1,000, for 10,000 flows", "10 rows of");
    }

    /** n = 500 streams of a shape, filled to what was planned and twice as much: no flow above T is ever missed. */
    @ParameterizedTest
    @EnumSource(Shape.class)
    void flagsEveryFlowAboveTheThreshold(Shape shape) {
        for (int s = 0; s < 500; s++) {
            long[] packets = EventStreams.of(shape, 800, 100, s);
            Flows<Long> flows = Flows.above(20)
                    .expecting(s % 2 == 0 ? 100 : 50)
                    .innocents(0.1)
                    .of(Key.longs().seeded(s))
                    .build();
            Set<Long> flagged = new HashSet<>();
            for (long packet : packets) {
                if (flows.add(packet)) {
                    flagged.add(packet);
                }
            }
            for (Map.Entry<Long, Long> exact : EventStreams.exactly(packets).entrySet()) {
                if (exact.getValue() > 20) {
                    assertThat(flagged).contains(exact.getKey());
                    assertThat(flows.isAbove(exact.getKey())).isTrue();
                }
                assertThat(flows.estimate(exact.getKey())).isGreaterThanOrEqualTo(exact.getValue());
            }
        }
    }

    /**
     * The worst traffic: every planned flow is above T, so each counter in use flags. n = 200,000 innocent flows over 200
     * detectors; expected are as many as planned, 4σ both sides with room for flows that share a detector.
     */
    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.01, 0.001})
    void flagsAsManyInnocentsAsPlannedAtWorst(double rate) {
        long flagged = 0;
        double stated = 0;
        for (int s = 0; s < 200; s++) {
            Flows<Long> flows = Flows.above(5)
                    .expecting(1_000)
                    .innocents(rate)
                    .of(Key.longs().seeded(s))
                    .build();
            for (long flow = 0; flow < 1_000; flow++) {
                flows.add(flow, 6);
            }
            for (long innocent = 1_000; innocent < 2_000; innocent++) {
                flagged += flows.isAbove(innocent) ? 1 : 0;
            }
            stated += flows.innocentNow() * 1_000;
        }
        double expected =
                Flows.above(5).expecting(1_000).innocents(rate).sizing().innocents() * 200_000;
        double deviation = Math.sqrt(expected * 2);
        assertThat((double) flagged).isBetween(expected - 4 * deviation, expected + 4 * deviation);
        assertThat(stated).isBetween(expected * 0.9, expected * 1.1);
    }

    @Test
    void flagsNoInnocentWhereNothingIsAbove() {
        Flows<String> flows = Flows.above(1_000_000).expecting(100).build();
        for (int i = 0; i < 100; i++) {
            assertThat(flows.add("flow " + i, 1_500)).isFalse();
        }
        assertThat(flows.innocentNow()).isZero();
    }

    @Test
    void tellsDirectionsApart() {
        Flows<Flows.Pair> flows = Flows.above(1).of(Flows.pairs()).build();
        Flows.Pair there = new Flows.Pair("10.0.0.1", "10.0.0.2");
        assertThat(flows.add(there)).isFalse();
        assertThat(flows.add(there)).isTrue();
        assertThat(flows.isAbove(new Flows.Pair("10.0.0.2", "10.0.0.1"))).isFalse();
    }

    @Test
    void flagsForEverWhatIsBeyondItsCounters() {
        Flows<String> flows = Flows.above(4_294_967_293L).expecting(10).build();
        assertThat(flows.add("a", 4_294_967_293L)).isFalse();
        assertThat(flows.add("a", 1)).isTrue();
        assertThat(flows.add("a", 1L << 40)).isTrue();
        assertThat(flows.estimate("a")).isEqualTo(4_294_967_295L);
        assertThat(flows.total()).isEqualTo(4_294_967_294L + (1L << 40));
    }

    @Test
    void refusesWhatItCannotCountAndStaysAsItIs() throws IOException {
        Flows<String> flows = Flows.above(10).expecting(10).build();
        flows.add("a", Long.MAX_VALUE - 5);
        byte[] before = bytes(flows);
        assertThatThrownBy(() -> flows.add("a", -1)).hasMessageContaining("weight must be 0 or more, got -1");
        assertThatThrownBy(() -> flows.add("b", 6)).hasMessageContaining("total below 2^63, got 6");
        assertThatThrownBy(() -> flows.merge(flows.copy())).hasMessageContaining("total below 2^63");
        assertThat(bytes(flows)).isEqualTo(before);
        assertThatThrownBy(() -> Flows.above(-1)).hasMessageContaining("got -1");
        assertThatThrownBy(() -> Flows.above(1).expecting(0)).hasMessageContaining("got 0");
        assertThatThrownBy(() -> Flows.above(1).innocents(1)).hasMessage("innocents must be in (0, 1), got 1.0");
        assertThatThrownBy(() -> Flows.above(1).expecting(1L << 40).sizing())
                .hasMessageContaining("expect fewer flows");
    }

    @Test
    void namesTheFirstDifferenceInsteadOfMerging() {
        Flows<String> flows = Flows.above(10).expecting(100).build();
        assertThatThrownBy(() -> flows.merge(Flows.above(11).expecting(100).build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("these flow detectors do not fit: threshold 10 against 11");
        assertThatThrownBy(() -> flows.merge(Flows.above(10).expecting(200).build()))
                .hasMessageContaining("width 145 against 289");
    }

    /** Files with good checksums whose numbers contradict each other. */
    @Test
    void refusesFilesThatContradictThemselves() throws IOException {
        long rate = Double.doubleToRawLongBits(0.01);
        assertRefusedFile("threshold -1", 2, 1, 32, -1, 0, 9, rate);
        assertRefusedFile("threshold 4294967295", 2, 1, 32, 4_294_967_295L, 0, 9, rate);
        assertRefusedFile("a total of -1", 2, 1, 32, 1, -1, 9, rate);
        assertRefusedFile("a total of 1", 2, 1, 32, 1, 1, 9, rate);
        assertRefusedFile("planned flows 0", 2, 1, 32, 1, 0, 0, rate);
        assertRefusedFile("a planned chance of 0.0", 2, 1, 32, 1, 0, 9, 0);
    }

    private static void assertRefusedFile(String why, long... parameters) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frame.of(Kind.FLOWS, Key.strings(), 8, parameters).write(out, payload -> payload.longs(new long[1]));
        assertThatThrownBy(() -> Flows.readFrom(new ByteArrayInputStream(out.toByteArray()), Key.strings(), 1 << 20))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(why);
    }

    private static byte[] bytes(Flows<?> flows) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        flows.writeTo(out);
        return out.toByteArray();
    }
}
