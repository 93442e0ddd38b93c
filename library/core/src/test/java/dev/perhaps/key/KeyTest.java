package dev.perhaps.key;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.dynatrace.hash4j.hashing.Hashing;
import com.sun.management.ThreadMXBean;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KeyTest {
    private static final long SEED = 0x9E3779B97F4A7C15L;
    private static final UUID UUID_OF_ALL_DIGITS = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

    /**
     * Bytes: computed with the xxHash project's own library; UTF-16: with hash4j. Numbers: from the formula in docs/format.md, in another language.
     * Every file of hash version 2 depends on them.
     */
    static Stream<Arguments> hashesOfVersionTwo() throws IOException {
        return Stream.of(
                frozen(Key.strings(), "", 0x2D06800538D394C2L, 0x602B0E2CD6662C8BL),
                frozen(Key.strings(), "Zürich", 0x0BA44FCC12CCA74EL, 0xA52A11DB10AED739L),
                frozen(Key.strings(), "Zürich".repeat(100), 0x26FF2C54733E3FFAL, 0xD985CB032FFA090BL),
                frozen(Key.utf16(), "", 0xB7683EA7430132B4L, 0x95B3F46A723953F8L),
                frozen(Key.utf16(), "Zürich", 0x0D3E5BAC00FE2525L, 0x459E5D14C5E2903FL),
                frozen(Key.utf16(), "Zürich".repeat(100), 0x0A913251146DC146L, 0x2B1A01DFE9D52B1DL),
                frozen(Key.bytes(), "Zürich".getBytes(UTF_8), 0x0BA44FCC12CCA74EL, 0xA52A11DB10AED739L),
                frozen(Key.longs(), 42L, 0xC52F980EA0EBC178L, 0xF11E5AD2342829D6L),
                frozen(Key.longs(), -1L, 0xEA0101DDB646E69BL, 0xBE445AF001CFD71DL),
                frozen(Key.ints(), 42, 0xC52F980EA0EBC178L, 0xF11E5AD2342829D6L),
                frozen(Key.ints(), -1, 0xEA0101DDB646E69BL, 0xBE445AF001CFD71DL),
                frozen(Key.doubles(), 1.5, 0x57F74FA8CBC7D659L, 0x609E2AB931078DDEL),
                frozen(Key.doubles(), -0.0, 0xD7F2CC97D035E64CL, 0x0859558B0112D4C4L),
                frozen(Key.doubles(), Double.NaN, 0xD33D7E7036A49D61L, 0x2056390C3BD44EB0L),
                frozen(Key.uuids(), UUID_OF_ALL_DIGITS, 0xCDA58C3D3DBE5551L, 0xF5322CC52D0DF253L),
                frozen(Key.addresses(), address("192.0.2.7"), 0x54E8211E31DB05C1L, 0x6173A85102FDB9C3L),
                frozen(Key.addresses(), address("2001:db8::7"), 0x223D514BACC6AF55L, 0x8DE1C33564B85ABAL),
                frozen(Key.kmers(7), "GATTACA", 0x09103EF301DB23B8L, 0x8DF0CEBDE1809BA0L),
                frozen(Key.urls(), "http://Evil.example/a?b=c#d", 0xCBEC532FFFF6C2ACL, 0x25A5A57882907A03L));
    }

    private static <T> Arguments frozen(Key<T> key, T value, long hash, long seeded) {
        return Arguments.of(key, value, hash, seeded);
    }

    @ParameterizedTest
    @MethodSource("hashesOfVersionTwo")
    <T> void hashesAsVersionTwoAlwaysHas(Key<T> key, T value, long hash, long seeded) {
        assertThat(Key.HASH_VERSION).isEqualTo(2);
        assertThat(key.seed()).isEqualTo(Key.DEFAULT_SEED).isZero();
        assertThat(key.hash(value)).isEqualTo(hash);
        assertThat(key.seeded(SEED).hash(value)).isEqualTo(seeded);
        assertThat(key.seeded(SEED).seed()).isEqualTo(SEED);
        assertThat(key.seeded(SEED).seeded(0).hash(value)).isEqualTo(hash);
    }

    @ParameterizedTest
    @MethodSource("hashesOfVersionTwo")
    @SuppressWarnings("unchecked") // the name gives the key of the same values back
    <T> void isFoundByItsName(Key<T> key, T value, long hash, long seeded) {
        Key<T> found = (Key<T>) Key.named(key.name(), SEED);
        assertThat(found.name()).isEqualTo(key.name());
        if (!(value instanceof byte[])) {
            assertThat(found.hash(value)).isEqualTo(seeded);
        }
        assertThat(found.fits(key.name(), SEED)).isTrue();
        assertThat(found.fits(key.name(), 0)).isFalse();
    }

    private record User(String email, long id) {}

    private static final Key<User> EMAIL = Key.strings().on("email", User::email);
    private static final Key<User> ID = Key.longs().on("id", User::id);

    @Test
    void hashesAPartAsThePartAlone() {
        User ada = new User("ada@example.org", 7);
        assertThat(EMAIL.name()).isEqualTo("utf8 of email").hasToString(EMAIL.toString());
        assertThat(EMAIL.hash(ada)).isEqualTo(Key.strings().hash("ada@example.org"));
        assertThat(EMAIL.seeded(SEED).hash(ada))
                .isEqualTo(Key.strings().seeded(SEED).hash("ada@example.org"));
        assertThat(EMAIL.seeded(SEED).name()).isEqualTo("utf8 of email");
        Key<List<User>> first = EMAIL.on("first", users -> users.get(0));
        assertThat(first.name()).isEqualTo("utf8 of first");
        assertThat(first.hash(List.of(ada))).isEqualTo(EMAIL.hash(ada));
    }

    @Test
    void fitsWhatWasHashedTheSameWay() {
        assertThat(Key.strings().fits("utf8", 0)).isTrue();
        assertThat(Key.strings().fits("utf8 of email", 0)).isTrue();
        assertThat(EMAIL.fits("utf8", 0)).isTrue();
        assertThat(EMAIL.fits("utf8 of name", 0)).isTrue();
        assertThat(Key.bytes().fits(Key.strings().name(), 0)).isTrue();
        assertThat(Key.strings().fits("utf8", 1)).isFalse();
        assertThat(Key.strings().fits("int64", 0)).isFalse();
        assertThat(Key.kmers(31).fits("kmers:30", 0)).isFalse();
    }

    @Test
    void composesPartsInTheirOrder() {
        Key<User> both = Key.all("user", EMAIL, ID);
        Key<User> turned = Key.all("user", ID, EMAIL);
        User ada = new User("ada@example.org", 7);
        assertThat(both.name()).isEqualTo("user");
        assertThat(both.hash(ada)).isEqualTo(0x80B3B9490158F3B4L).isNotEqualTo(turned.hash(ada));
        assertThat(both.hash(new User("ada@example.org", 8))).isNotEqualTo(both.hash(ada));
        assertThat(both.hash(new User("bob@example.org", 7))).isNotEqualTo(both.hash(ada));
        assertThat(both.seeded(SEED).hash(ada)).isNotEqualTo(both.hash(ada));
        assertThat(both.seeded(SEED).seed()).isEqualTo(SEED);
        assertThat(Key.all("twice", EMAIL, EMAIL).hash(ada)).isNotEqualTo(EMAIL.hash(ada));
        assertThatThrownBy(() -> Key.all("none"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the key 'none' needs at least one part");
    }

    @Test
    void refusesNamesThatNoFileCanHold() {
        for (String name : List.of("", "  ", "x".repeat(256), "ü".repeat(128))) {
            assertThatThrownBy(() -> Key.all(name, EMAIL))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1 to 255 bytes, got '" + name + "'");
        }
    }

    /** Only what the JDK had turned into an IPv4 address already was hashed as one. */
    @Test
    void hashesAMappedAddressAsTheIpv4Address() throws IOException {
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xFF;
        mapped[11] = (byte) 0xFF;
        System.arraycopy(address("192.0.2.7").getAddress(), 0, mapped, 12, 4);
        InetAddress six = Inet6Address.getByAddress(null, mapped, -1);
        assertThat(six).isInstanceOf(Inet6Address.class);
        assertThat(Key.addresses().hash(six)).isEqualTo(Key.addresses().hash(address("192.0.2.7")));
        assertThat(Key.addresses().hash(address("2001:db8::7")))
                .isNotEqualTo(Key.addresses().hash(address("192.0.2.7")));
    }

    /** Such a key opened a file of strings, numbers or URLs, and its filter said "no" to everything that was added. */
    @Test
    void aComposedKeyCannotTakeTheNameOfAnotherKey() {
        for (String name : List.of("utf8", "utf16", "int64", "int32", "float64", "uuid", "ip", "urls", "kmers:31")) {
            assertThatThrownBy(() -> Key.all(name, EMAIL, ID))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "'" + name + "' is the name of a built-in key; files of the two could be confused: choose"
                                    + " another name");
        }
        assertThatThrownBy(() -> Key.all("visit of user", EMAIL, ID))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot have ' of ' in it");
    }

    /** The seed of the parts was dropped without a word: keys that nobody should guess were hashed with seed 0. */
    @Test
    void aComposedKeyHasTheSeedOfItsParts() {
        User ada = new User("ada@example.org", 7);
        Key<User> seeded = Key.all("user", EMAIL.seeded(SEED), ID.seeded(SEED));
        assertThat(seeded.seed()).isEqualTo(SEED);
        assertThat(seeded.hash(ada))
                .isEqualTo(Key.all("user", EMAIL, ID).seeded(SEED).hash(ada))
                .isNotEqualTo(Key.all("user", EMAIL, ID).hash(ada));
        assertThatThrownBy(() -> Key.all("user", EMAIL.seeded(SEED), ID))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the parts of the key 'user' must have one seed, got " + SEED
                        + " and 0: seed the whole key instead");
    }

    /** It was refused by the file, when everything had been added. */
    @Test
    void refusesAPartWhoseWholeNameNoFileCanHold() {
        String longest = "x".repeat(255 - "utf8 of ".length());
        assertThat(Key.strings().on(longest, User::email).name()).hasSize(255);
        assertThatThrownBy(() -> Key.strings().on(longest + "x", User::email))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to 255 bytes, got 'utf8 of xxx");
        assertThatThrownBy(() -> Key.strings().on(longest + "x", String::trim, String::trim))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to 255 bytes");
    }

    @Test
    void carriesANameThatItDoesNotKnow() {
        for (String name : List.of("user", "user of x", "kmers:33", "kmers:031", "kmers:0", "kmers:", "urls2")) {
            Key<?> unknown = Key.named(name, SEED);
            assertThat(unknown.name()).isEqualTo(name);
            assertThat(unknown.seed()).isEqualTo(SEED);
            assertThatThrownBy(() -> hashAnything(unknown))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the key '" + name + "'");
        }
        assertThat(Key.named("utf8 of email", 3).name()).isEqualTo("utf8 of email");
    }

    @SuppressWarnings({"unchecked", "CheckReturnValue"}) // an unknown key takes any value, and refuses it
    private static void hashAnything(Key<?> key) {
        ((Key<Object>) key).hash("x");
    }

    /** Whether the virtual machine keeps a string in one byte per character or in two: the hash is that of its code units. */
    @Test
    void hashesUtf16AsItsCodeUnits() {
        for (String value : List.of("", "a", "Zürich", "Straße № 5, 東京 🗼", "x".repeat(1_000), "ß".repeat(33))) {
            byte[] units = value.getBytes(StandardCharsets.UTF_16LE);
            long expected = Hashing.komihash5_0(SEED).hashBytesToLong(units, 0, units.length);
            assertThat(Key.utf16().seeded(SEED).hash(value)).isEqualTo(expected);
        }
        assertThat(Key.utf16().fits(Key.strings())).isFalse();
    }

    @Test
    void takesAnAddressInEveryFormAsOne() throws IOException {
        Key<InetAddress> addresses = Key.addresses();
        long four = addresses.hash(address("192.0.2.7"));
        assertThat(addresses.hash(address("::ffff:192.0.2.7"))).isEqualTo(four);
        assertThat(addresses.hash(InetAddress.getByAddress("some.host", new byte[] {(byte) 192, 0, 2, 7})))
                .isEqualTo(four);
        long six = addresses.hash(address("fe80::1"));
        assertThat(addresses.hash(address("fe80:0:0::0:0001"))).isEqualTo(six);
        assertThat(six).isNotEqualTo(four);
    }

    private static InetAddress address(String literal) throws IOException {
        return InetAddress.getByName(literal);
    }

    @Test
    void readsBackWhatItWrote() throws IOException {
        assertThat(written(Key.strings(), "Zürich")).isEqualTo("Zürich");
        String loneSurrogate = "a" + (char) 0xD800 + "b";
        assertThat(written(Key.utf16(), loneSurrogate)).isEqualTo(loneSurrogate);
        assertThatThrownBy(() -> Key.utf16().read(input(new byte[] {0, 0, 0, 3, 1, 2, 3})))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("an even number of bytes, got 3");
        assertThat(written(Key.bytes(), new byte[] {1, 2})).isEqualTo(new byte[] {1, 2});
        assertThat(written(Key.longs(), Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE);
        assertThat(written(Key.ints(), -3)).isEqualTo(-3);
        assertThat(written(Key.doubles(), -1.25)).isEqualTo(-1.25);
        assertThat(written(Key.doubles(), -0.0)).isEqualTo(0.0);
        assertThat(written(Key.uuids(), UUID_OF_ALL_DIGITS)).isEqualTo(UUID_OF_ALL_DIGITS);
        assertThat(written(Key.addresses(), address("2001:db8::7"))).isEqualTo(address("2001:db8::7"));
        assertThatThrownBy(() -> Key.bytes().read(input(new byte[] {-1, 0, 0, 0})))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a kept key has 0 to 2147483639 bytes, got -16777216");
    }

    /** A length of 2 GB takes no more memory than the bytes that follow it, and some. */
    @Test
    void readsNoMoreThanThereIs() {
        byte[] broken = Arrays.copyOf(new byte[] {127, 0, 0, 0}, 100_000);
        ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = thread.getCurrentThreadAllocatedBytes();
        assertThatThrownBy(() -> Key.bytes().read(input(broken))).isInstanceOf(EOFException.class);
        assertThat(thread.getCurrentThreadAllocatedBytes() - before).isLessThan(4_000_000);
    }

    private static <T> T written(Key.Stored<T> key, T value) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        key.write(value, new DataOutputStream(out));
        return key.read(input(out.toByteArray()));
    }

    private static DataInputStream input(byte[] bytes) {
        return new DataInputStream(new ByteArrayInputStream(bytes));
    }

    @Test
    void allocatesNothingForStringsBytesLongsAndKmers() {
        String ascii = "https://example.org/a/page";
        String mixed = "Straße № 5, 東京 🗼".repeat(50);
        byte[] bytes = mixed.getBytes(UTF_8);
        byte[] dna = "GATTACANNGATTACAGGA".getBytes(UTF_8);
        long[] hashes = new long[dna.length];
        Key.Longs longs = Key.longs();
        Kmers.Window window = Key.kmers(5).window();
        assertThat(allocatedBy(() -> Key.strings().hash(ascii))).isLessThan(1_000);
        assertThat(allocatedBy(() -> Key.strings().hash(mixed))).isLessThan(1_000);
        assertThat(allocatedBy(() -> Key.utf16().hash(ascii))).isLessThan(1_000);
        assertThat(allocatedBy(() -> Key.utf16().hash(mixed))).isLessThan(1_000);
        assertThat(allocatedBy(() -> Key.bytes().hash(bytes))).isLessThan(1_000);
        assertThat(allocatedBy(() -> Key.bytes().hash(bytes, 3, 90))).isLessThan(1_000);
        assertThat(allocatedBy(() -> longs.hash(12_345_678_901L))).isLessThan(1_000);
        assertThat(allocatedBy(() -> window.roll(dna, 0, dna.length, hashes))).isLessThan(1_000);
    }

    /** Bytes that 10,000 calls allocate, once all is warm: even 16 bytes in every hundredth call would be 1,600. */
    private static long allocatedBy(LongSupplier call) {
        ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        long sum = 0;
        for (int round = 0; round < 5; round++) {
            long before = thread.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 10_000; i++) {
                sum += call.getAsLong();
            }
            least = Math.min(least, thread.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(sum).isNotZero();
        return least;
    }
}
