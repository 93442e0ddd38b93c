package dev.perhaps.key;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.Perhaps;
import dev.perhaps.frequency.HeavyHitters;
import dev.perhaps.frequency.TopK;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.sketch.FormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Characters, buffers, and the records and enums of a program. */
@SuppressWarnings({"NullAway", "UnnecessaryStringBuilder"}) // null and other CharSequences are among what is tested
class OwnKeysTest {
    private record User(long id) {}

    private enum Color {
        RED,
        GREEN
    }

    private static final Key.Stored<User> USERS = Key.longs().on("id", User::id, User::new);
    private static final Key.Stored<Color> COLORS = Key.strings().on("color", Color::name, Color::valueOf);

    static Stream<String> texts() {
        return Stream.of(
                "",
                "a",
                "https://example.org/",
                "Zürich",
                "\u0800\uFFFF",
                "𝄞 clef",
                "lone \uD834 surrogate",
                "\uDD1E\uD834",
                "é".repeat(16_384),
                "x".repeat(16_385),
                "€".repeat(40_000));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void hashesAllCharactersAsTheirUtf8Bytes(String text) {
        for (long seed : new long[] {0, 7}) {
            Key<CharSequence> chars = Key.chars().seeded(seed);
            long expected = Key.bytes().seeded(seed).hash(text.getBytes(UTF_8));
            assertThat(chars.hash(text)).isEqualTo(expected);
            assertThat(chars.hash(new StringBuilder(text))).isEqualTo(expected);
            assertThat(chars.hash(CharBuffer.wrap("[" + text + "]", 1, text.length() + 1)))
                    .isEqualTo(expected);
            assertThat(chars.fits(Key.strings().seeded(seed))).isTrue();
        }
    }

    @Test
    void aFilterOfCharactersOpensWhatStringsWrote() throws IOException {
        BloomFilter<String> strings = BloomFilter.expecting(10).build();
        strings.add("Zürich");
        BloomFilter<CharSequence> chars = BloomFilter.fromBytes(strings.toBytes(), Key.chars());
        assertThat(chars.mightContain(new StringBuilder("Zürich"))).isTrue();
        assertThat(chars.mightContain("Bern")).isFalse();
    }

    @ParameterizedTest
    @MethodSource("texts")
    void hashesABufferAsItsBytesAndLeavesItAsItIs(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        byte[] wide = new byte[bytes.length + 5];
        System.arraycopy(bytes, 0, wide, 3, bytes.length);
        ByteBuffer direct = ByteBuffer.allocateDirect(wide.length).put(wide).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer heap = ByteBuffer.wrap(wide);
        ByteBuffer sliced = ByteBuffer.wrap(wide, 2, bytes.length + 1).slice().position(1);
        for (ByteBuffer buffer : List.of(
                direct.position(3).limit(3 + bytes.length),
                heap.position(3).limit(3 + bytes.length),
                heap.asReadOnlyBuffer(),
                sliced)) {
            ByteBuffer before = buffer.duplicate();
            assertThat(Key.buffers().hash(buffer)).isEqualTo(Key.bytes().hash(bytes));
            assertThat(Key.buffers().seeded(9).hash(buffer))
                    .isEqualTo(Key.bytes().seeded(9).hash(bytes));
            assertThat(buffer.position()).isEqualTo(before.position());
            assertThat(buffer.limit()).isEqualTo(before.limit());
        }
    }

    @Test
    void aTopListKeepsSavesAndReadsRecords() throws IOException {
        TopK<User> top = TopK.of(2).of(USERS).build();
        for (int i = 0; i < 5; i++) {
            top.add(new User(42));
        }
        top.add(new User(7));
        TopK<User> again = TopK.fromBytes(top.toBytes(), USERS);
        assertThat(again.top())
                .containsExactly(new TopK.Ranked<>(new User(42), 5, 5), new TopK.Ranked<>(new User(7), 1, 1));
        assertThat(again).isEqualTo(top);
        assertThat(USERS.name()).isEqualTo("int64 of id");
        assertThat(USERS.hash(new User(42))).isEqualTo(Key.longs().hash(42L));
    }

    @Test
    void heavyHittersKeepEnums() throws IOException {
        HeavyHitters<Color> heavy = HeavyHitters.atLeast(0.5).of(COLORS).build();
        heavy.addAll(List.of(Color.GREEN, Color.RED, Color.GREEN));
        HeavyHitters<Color> again = HeavyHitters.fromBytes(heavy.toBytes(), COLORS);
        assertThat(again.contains(Color.GREEN)).isTrue();
        assertThat(again.contains(Color.RED)).isFalse();
    }

    /** Without the program's key the parts are shown. */
    @Test
    void opensWithoutTheKeyAsItsParts() throws IOException {
        TopK<Color> top = TopK.of(2).of(COLORS).build();
        top.add(Color.RED);
        TopK<?> parts = (TopK<?>) Perhaps.fromBytes(top.toBytes());
        assertThat(parts.top().get(0).value()).isEqualTo("RED");
        assertThat(parts.toBytes()).isEqualTo(top.toBytes());
    }

    @Test
    void saysWhichValueCannotBeMadeAgain() throws IOException {
        TopK<String> top = TopK.of(2).build();
        top.add("BLUE");
        byte[] bytes = top.toBytes();
        assertThatThrownBy(() -> TopK.fromBytes(bytes, COLORS))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("no value can be made from the color 'BLUE'");
    }

    @Test
    void namesTheArgumentThatIsNull() {
        for (Key<?> key : List.of(
                Key.strings(),
                Key.chars(),
                Key.bytes(),
                Key.buffers(),
                Key.longs(),
                Key.ints(),
                Key.doubles(),
                Key.uuids(),
                Key.addresses(),
                Key.urls(),
                Key.kmers(5),
                USERS,
                Key.all("both", Key.strings(), Key.strings()),
                Key.strings().on("text", Object::toString))) {
            assertThatThrownBy(() -> key.hash(null))
                    .as(key.name())
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("value must not be null");
        }
        Key<User> nameless = Key.strings().on("name", user -> null);
        assertThatThrownBy(() -> nameless.hash(new User(1))).hasMessage("the name of a value must not be null");
        assertThatThrownBy(() -> Key.strings().on(null, Object::toString)).hasMessage("name must not be null");
        assertThatThrownBy(() -> Key.strings().on("part", null)).hasMessage("part must not be null");
    }
}
