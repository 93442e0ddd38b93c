package dev.perhaps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.frame.Frame;
import dev.perhaps.frequency.TopK;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind becomes bytes in memory, and is read from them, under the same checks as a file. */
class BytesContractTest {
    static List<Path> golden() throws IOException {
        return ReopeningTest.golden();
    }

    @ParameterizedTest
    @MethodSource("golden")
    void givesTheBytesOfItsFileAndReadsThemAgain(Path file) throws IOException {
        byte[] saved = Files.readAllBytes(file);
        Sketch opened = Perhaps.open(file);
        assertThat(opened.toBytes()).isEqualTo(saved);
        Sketch again = Perhaps.fromBytes(saved);
        assertThat(again.getClass()).isEqualTo(opened.getClass());
        assertThat(again.describe()).isEqualTo(opened.describe());
        assertThat(again.toBytes()).isEqualTo(saved);
    }

    /** A class that is read from bytes says so itself, typed: {@code TopK.fromBytes(bytes, key)}. */
    @ParameterizedTest
    @MethodSource("golden")
    void hasFromBytesOfItsOwn(Path file) throws ReflectiveOperationException, IOException {
        byte[] saved = Files.readAllBytes(file);
        Sketch again = (Sketch) fromBytes(Perhaps.open(file), saved, key(file));
        assertThat(again.toBytes()).isEqualTo(saved);
    }

    @ParameterizedTest
    @MethodSource("golden")
    void refusesBytesTooManyAndTooFew(Path file) throws IOException {
        byte[] saved = Files.readAllBytes(file);
        Sketch opened = Perhaps.open(file);
        for (int length : new int[] {0, 7, saved.length / 2, saved.length - 1, saved.length + 1}) {
            byte[] wrong = Arrays.copyOf(saved, length);
            assertThatThrownBy(() -> Perhaps.fromBytes(wrong)).isInstanceOf(FormatException.class);
            assertThatThrownBy(() -> fromBytes(opened, wrong, key(file)))
                    .isInstanceOf(InvocationTargetException.class)
                    .hasCauseInstanceOf(FormatException.class);
        }
        assertThatThrownBy(() -> Perhaps.fromBytes(Arrays.copyOf(saved, saved.length + 1)))
                .hasMessage("it is longer than it should be: " + (saved.length + 1) + " bytes where its header says "
                        + saved.length);
    }

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

    private static Key<?> key(Path file) throws IOException {
        Frame frame = Frame.look(file);
        return Key.named(frame.keyName(), frame.seed());
    }

    private static Object fromBytes(Sketch of, byte[] bytes, Key<?> key) throws ReflectiveOperationException {
        for (Class<?> type = of.getClass(); type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                int modifiers = method.getModifiers();
                if (method.getName().equals("fromBytes") && Modifier.isStatic(modifiers)) {
                    assertThat(Modifier.isPublic(modifiers)).isTrue();
                    Object[] arguments = {bytes, key};
                    return method.invoke(null, Arrays.copyOf(arguments, method.getParameterCount()));
                }
            }
        }
        throw new NoSuchMethodException("a " + of.kind() + " has no fromBytes(byte[], Key)");
    }
}
