package dev.perhaps.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.sketch.FormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

/** Bitcoin's length prefix. */
class CompactSizeProperty {
    @Example
    void writesTheShortestForm() {
        assertThat(hex(0)).isEqualTo("00");
        assertThat(hex(252)).isEqualTo("fc");
        assertThat(hex(253)).isEqualTo("fdfd00");
        assertThat(hex(65_535)).isEqualTo("fdffff");
        assertThat(hex(65_536)).isEqualTo("fe00000100");
        assertThat(hex(0xFFFF_FFFFL)).isEqualTo("feffffffff");
        assertThat(hex(0x1_0000_0000L)).isEqualTo("ff0000000001000000");
    }

    @Property
    void readsWhatWasWritten(@ForAll @LongRange(max = Long.MAX_VALUE) long value) throws FormatException {
        ByteBuffer in = buffer(hex(value));
        assertThat(CompactSize.read(in, Long.MAX_VALUE, "the length")).isEqualTo(value);
        assertThat(in.hasRemaining()).isFalse();
    }

    @Example
    void refusesWhatIsLongerThanNeeded() {
        for (String hex : new String[] {"fd0000", "fdfc00", "fe00000000", "feffff0000", "ffffffffff00000000"}) {
            assertThatThrownBy(() -> CompactSize.read(buffer(hex), Long.MAX_VALUE, "the length"))
                    .as(hex)
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("the length")
                    .hasMessageContaining("instead of");
        }
    }

    @Example
    void refusesWhatIsCutShortOrTooLarge() {
        for (String hex : new String[] {"", "fd", "fd00", "fe000000", "ff00000000000000"}) {
            assertThatThrownBy(() -> CompactSize.read(buffer(hex), 10, "the length"))
                    .as(hex)
                    .isInstanceOf(FormatException.class)
                    .hasMessage("it is cut short in the length");
        }
        assertThatThrownBy(() -> CompactSize.read(buffer("0b"), 10, "the length"))
                .hasMessageContaining("the length is 11, and at most 10");
        assertThatThrownBy(() -> CompactSize.read(buffer("ffffffffffffffffff"), 10, "the length"))
                .hasMessageContaining("the length is 18446744073709551615");
    }

    private static String hex(long value) {
        ByteBuffer out = ByteBuffer.allocate(CompactSize.bytes(value)).order(ByteOrder.LITTLE_ENDIAN);
        CompactSize.write(value, out);
        assertThat(out.hasRemaining()).isFalse();
        return HexFormat.of().formatHex(out.array());
    }

    private static ByteBuffer buffer(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex)).order(ByteOrder.LITTLE_ENDIAN);
    }
}
