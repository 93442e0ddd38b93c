package dev.perhaps.sketch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.io.Figures;
import org.junit.jupiter.api.Test;

class DescriptionTest {
    @Test
    void writesNumbersAsPeopleReadThem() {
        assertThat(Figures.count(1_234_567)).isEqualTo("1,234,567");
        assertThat(Figures.bytes(0)).isEqualTo("0 bytes");
        assertThat(Figures.bytes(1023)).isEqualTo("1,023 bytes");
        assertThat(Figures.bytes(1024)).isEqualTo("1.00 KiB");
        assertThat(Figures.bytes(1_500_000_000)).isEqualTo("1.40 GiB");
        assertThat(Figures.bytes(Long.MAX_VALUE)).isEqualTo("8.00 EiB");
        assertThat(Figures.bytes(1)).isEqualTo("1 byte");
        assertThat(Figures.count(1, "item")).isEqualTo("1 item");
        assertThat(Figures.count(0, "item")).isEqualTo("0 items");
        assertThat(Figures.count(2_000, "item")).isEqualTo("2,000 items");
        assertThat(Figures.percent(0.0123456)).isEqualTo("1.23 %");
        assertThat(Figures.percent(1)).isEqualTo("100 %");
        assertThat(Figures.percent(0.000_000_000_01)).isEqualTo("1.00e-09 %");
        assertThat(Figures.significant(0)).isEqualTo("0");
        assertThat(Figures.significant(12_345.6)).isEqualTo("12,346");
        assertThat(Figures.significant(-9.5849)).isEqualTo("-9.58");
        assertThat(Figures.significant(Double.POSITIVE_INFINITY)).isEqualTo("Infinity");
    }

    @Test
    void tellsOneFactPerLine() {
        Description facts = Description.of(Kind.BLOOM)
                .text("key", "utf8")
                .count("itemsPlanned", 1_000)
                .share("errorNow", 0.01)
                .flag("overfilled", false)
                .number("bitsPerItem", 9.585, "bits")
                .bytes("sizeBytes", 2_048);
        assertThat(facts).hasToString("""
            kind           bloom
            key            utf8
            items planned  1,000
            error now      1.00 %
            overfilled     no
            bits per item  9.59 bits
            size bytes     2.00 KiB
            """);
        assertThat(facts.facts().get(1).value()).isEqualTo(1_000L);
        assertThat(Description.of(Kind.BLOOM).facts())
                .as("each step is a new one")
                .isEmpty();
    }
}
