package dev.perhaps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.frequency.TopK;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.sketch.FormatException;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What reading from bytes refuses, beside what {@link SketchContractTest} holds for every kind. */
class FromBytesTest {
    @Test
    void aHeaderThatPromisesMoreThanThereIsTakesNoMemory() throws IOException {
        byte[] saved = BloomFilter.expecting(10).build().toBytes();
        byte[] huge = BloomFilter.expecting(10_000_000).build().toBytes();
        byte[] headerOnly = Arrays.copyOf(huge, saved.length);
        assertThatThrownBy(() -> BloomFilter.fromBytes(headerOnly, Key.strings()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("cut short");
    }

    @Test
    void refusesAnotherKeyAndAnotherKind() throws IOException {
        byte[] bytes = BloomFilter.expecting(10).build().toBytes();
        assertThatThrownBy(() -> BloomFilter.fromBytes(bytes, Key.longs()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("open it with that key");
        assertThatThrownBy(() -> TopK.fromBytes(bytes, Key.strings())).hasMessage("it holds a bloom, not a top");
        HashFilter<String> filter = Perhaps.filterFromBytes(bytes, Key.strings());
        assertThat(filter.toBytes()).isEqualTo(bytes);
        byte[] top = TopK.of(3).build().toBytes();
        assertThatThrownBy(() -> Perhaps.filterFromBytes(top, Key.strings()))
                .hasMessage("it holds a top, which is not a filter");
    }
}
