package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a Bloom filter answers from its file. */
class MappedFilterTest {
    @TempDir
    Path folder;

    private Path file;
    private BloomFilter<Long> filter;

    @BeforeEach
    void save() throws IOException {
        filter = BloomFilter.expecting(5_000)
                .falsePositives(0.02)
                .of(Key.longs())
                .buildFrom(Hashes.of(Subject.hashes(5_000, 1)));
        file = folder.resolve("filter");
        filter.save(file);
    }

    @Test
    void answersAsTheFilterOnTheHeap() throws IOException {
        HashFilter.Mapped<Long> mapped = BloomFilter.map(file, Key.longs());
        mapped.verify();
        long[] asked = Arrays.copyOf(Subject.hashes(5_000, 1), 10_000);
        System.arraycopy(Subject.hashes(5_000, 2), 0, asked, 5_000, 5_000);
        for (long hash : asked) {
            assertThat(mapped.mightContainHash(hash)).isEqualTo(filter.mightContainHash(hash));
        }
        long[] answers = new long[157];
        long[] expected = new long[157];
        assertThat(mapped.mightContainHashes(asked, 0, asked.length, answers))
                .isEqualTo(filter.mightContainHashes(asked, 0, asked.length, expected));
        assertThat(answers).isEqualTo(expected);
        assertThat(mapped.errorNow()).isEqualTo(filter.errorNow());
        assertThat(mapped.itemsNow()).isEqualTo(filter.itemsNow());
        assertThat(mapped.sizing()).isEqualTo(filter.sizing());
        assertThat(mapped.sizeBytes()).isEqualTo(filter.sizeBytes());
        assertThat(mapped.fileBytes()).isEqualTo(Files.size(file));
    }

    @Test
    void writesTheFileAgain() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BloomFilter.map(file, Key.longs()).writeTo(out);
        assertThat(out.toByteArray()).isEqualTo(Files.readAllBytes(file));
    }

    @Test
    void findsAFlippedBitWhenItVerifies() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int header = bytes.length - 4 - (int) filter.sizeBytes();
        for (int at : new int[] {header, header + 1_000, bytes.length - 5, bytes.length - 1}) {
            byte[] flipped = bytes.clone();
            flipped[at] ^= 0x10;
            Files.write(file, flipped);
            HashFilter.Mapped<Long> mapped = BloomFilter.map(file, Key.longs());
            assertThatThrownBy(mapped::verify)
                    .isInstanceOf(FormatException.class)
                    .hasMessage("the payload's checksum does not fit: the file is damaged");
        }
    }

    /** The checksum was computed in the mapped pages themselves: where one is gone, that ended the process. */
    @Test
    void survivesAFileThatIsTruncatedWhileItIsMapped() throws IOException {
        HashFilter.Mapped<Long> mapped = BloomFilter.map(file, Key.longs());
        mapped.verify();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(0);
        }
        assertThatThrownBy(mapped::verify)
                .isInstanceOf(FormatException.class)
                .hasMessage("the file was truncated after it was mapped: it is damaged");
    }

    @Test
    void goesOnWithTheFileThatAnotherOneReplaced() throws IOException {
        HashFilter.Mapped<Long> mapped = BloomFilter.map(file, Key.longs());
        BloomFilter<Long> smaller = BloomFilter.expecting(10).of(Key.longs()).build();
        smaller.save(file);
        mapped.verify();
        assertThat(mapped.mightContainHash(Subject.hashes(1, 1)[0])).isTrue();
        Files.delete(file);
        mapped.verify();
        assertThat(mapped.mightContainHash(Subject.hashes(1, 1)[0])).isTrue();
    }

    @Test
    void checksHeaderLengthAndKeyAtOnce() throws IOException {
        assertThatThrownBy(() -> BloomFilter.map(file, Key.ints()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("written with key 'int64'");
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length - 8));
        assertThatThrownBy(() -> BloomFilter.map(file, Key.longs()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("it is cut short");
        bytes[20] ^= 1;
        Files.write(file, bytes);
        assertThatThrownBy(() -> BloomFilter.map(file, Key.longs()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("the header's checksum does not fit");
    }
}
