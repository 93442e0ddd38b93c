package dev.perhaps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Corruption;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Shareable;
import dev.perhaps.sketch.Sketch;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every structure promises, whatever its kind: its bytes, their damage, its description, its equality. */
@SuppressWarnings("SelfAssertion") // that it equals itself is what is tested
class SketchContractTest {
    private static final long CAP = 1 << 20;

    /** Frames of up to this number of bytes are damaged at every byte and cut at every length. */
    private static final int SMALL_BYTES = 2_000;

    /** What opening and refusing a file may allocate beside the file's own size: buffers, messages, the test's own. */
    private static final long ALLOCATED_BESIDES = 1 << 20;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    Path folder;

    static Stream<SketchSubject> subjects() {
        return SketchSubject.all();
    }

    /** A delta travels from one process to another: its class reads it from bytes and streams, but not from a file. */
    static Stream<SketchSubject> openedByTheirClass() {
        return SketchSubject.all().filter(subject -> subject.kind() != Kind.BLOOM_DELTA);
    }

    /** Counts of ranges are of numbers, always by the same key. */
    static Stream<SketchSubject> readWithAKey() {
        return SketchSubject.all().filter(subject -> subject.kind() != Kind.RANGES);
    }

    /** Those with a concurrent form; of the Count-Min sketches only the plain ones have it. */
    static Stream<SketchSubject> shareable() {
        return SketchSubject.all()
                .filter(subject -> subject.build() instanceof Shareable<?>)
                .filter(subject -> !isUpdatedInOrder(subject));
    }

    static Stream<SketchSubject> notShareable() {
        return SketchSubject.all()
                .filter(subject -> !(subject.build() instanceof Shareable<?>) || isUpdatedInOrder(subject));
    }

    private static boolean isUpdatedInOrder(SketchSubject subject) {
        return subject.name().matches("count.*(conservative|turnstile).*");
    }

    /** One thread may change an index while others ask: it is equal to itself only, as is a concurrent form. */
    static Stream<SketchSubject> equalByContent() {
        return SketchSubject.all().filter(subject -> isEqualByContent(subject.build()));
    }

    static Stream<SketchSubject> equalByIdentity() {
        return SketchSubject.all().filter(subject -> !isEqualByContent(subject.build()));
    }

    private static boolean isEqualByContent(Sketch sketch) {
        return sketch instanceof AbstractSketch && !(sketch instanceof Shareable<?> form && form.isConcurrent());
    }

    @Test
    void holdsForEveryKind() {
        Set<Kind> kinds = SketchSubject.all()
                .map(SketchSubject::kind)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Kind.class)));
        assertThat(kinds).containsExactlyInAnyOrder(Kind.values());
        assertThat(SketchSubject.all().map(SketchSubject::name)).doesNotHaveDuplicates();
    }

    @Test
    void onlyAnIndexIsSharedAsItIs() {
        assertThat(SketchSubject.all()
                        .filter(subject -> !(subject.build() instanceof AbstractSketch))
                        .map(SketchSubject::kind))
                .containsOnly(Kind.SIMILAR);
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void isTheSameAfterItWasWrittenAndRead(SketchSubject subject) throws IOException {
        for (int items : new int[] {0, 1, 2, 3, 40, 1_000}) {
            Sketch built = subject.build(Key.DEFAULT_SEED, items);
            assertThat(built.kind()).isEqualTo(subject.kind());
            byte[] bytes = written(built);
            assertThat(bytes).hasSize((int) built.fileBytes()).isEqualTo(built.toBytes());
            Path file = saved(built);
            assertThat(file).hasBinaryContent(bytes);
            for (Sketch read : List.of(
                    Perhaps.open(file),
                    Perhaps.readFrom(new ByteArrayInputStream(bytes), bytes.length),
                    Perhaps.fromBytes(bytes))) {
                assertThat(read.kind()).isEqualTo(subject.kind());
                assertThat(read.sizeBytes()).isEqualTo(built.sizeBytes());
                assertThat(read.fileBytes()).isEqualTo(built.fileBytes());
                assertThat(factsButConcurrency(read)).isEqualTo(factsButConcurrency(built));
                assertThat(read.describe().toString()).doesNotContainPattern("concurrent +yes");
                assertThat(read.toString()).isNotBlank().doesNotContain("@");
                assertThat(written(read)).isEqualTo(bytes);
                assertThat(read.contentEquals(built)).isTrue();
            }
        }
    }

    /** A class that is read from bytes says so itself, typed: {@code TopK.fromBytes(bytes, key)}. */
    @ParameterizedTest
    @MethodSource("subjects")
    void isReadByItsOwnClass(SketchSubject subject) throws ReflectiveOperationException, IOException {
        Path file = saved(subject.build());
        byte[] bytes = Files.readAllBytes(file);
        Sketch opened = Perhaps.open(file);
        for (Sketch read : List.of(
                read(opened, "readFrom", new ByteArrayInputStream(bytes), key(file)),
                read(opened, "fromBytes", bytes, key(file)))) {
            assertThat(read.getClass()).isEqualTo(opened.getClass());
            assertThat(read.toBytes()).isEqualTo(bytes);
        }
    }

    @ParameterizedTest
    @MethodSource("openedByTheirClass")
    void isOpenedByItsOwnClass(SketchSubject subject) throws ReflectiveOperationException, IOException {
        Path file = saved(subject.build());
        Sketch read = read(Perhaps.open(file), "open", file, key(file));
        assertThat(read.toBytes()).isEqualTo(Files.readAllBytes(file));
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void writesTheSameBytesForTheSameInputAndSeed(SketchSubject subject) {
        assertThat(subject.build(7, 40).toBytes())
                .isEqualTo(subject.build(7, 40).toBytes())
                .isNotEqualTo(subject.build(8, 40).toBytes());
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void readsNotAByteBeyondItsFrame(SketchSubject subject) throws IOException {
        Sketch sketch = subject.build();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        sketch.writeTo(out);
        sketch.writeTo(out);
        out.write(42);
        ByteArrayInputStream in = new ByteArrayInputStream(out.toByteArray());
        assertThat(Perhaps.readFrom(in, sketch.fileBytes()).contentEquals(sketch))
                .isTrue();
        assertThat(Perhaps.readFrom(in, sketch.fileBytes()).contentEquals(sketch))
                .isTrue();
        assertThat(in.read()).isEqualTo(42);
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void refusesAStreamAboveItsCap(SketchSubject subject) {
        byte[] bytes = subject.build().toBytes();
        assertThatThrownBy(() -> Perhaps.readFrom(new ByteArrayInputStream(bytes), 7))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("at most 7 ");
    }

    @ParameterizedTest
    @MethodSource("readWithAKey")
    void refusesAnotherKeyAndAnotherSeed(SketchSubject subject) throws IOException {
        Path file = saved(subject.build(5, 40));
        byte[] bytes = Files.readAllBytes(file);
        Sketch opened = Perhaps.open(file);
        Key<?> key = key(file);
        for (Key<?> other : List.of(Key.strings().seeded(5), Key.ints().seeded(5))) {
            assertRefused(opened, bytes, other, "'" + key.name() + "' and seed 5");
        }
        assertRefused(opened, bytes, Key.named(key.name(), 6), "seed 5");
    }

    private static void assertRefused(Sketch of, byte[] bytes, Key<?> key, String message) {
        assertThatThrownBy(() -> read(of, "fromBytes", bytes, key))
                .isInstanceOf(InvocationTargetException.class)
                .cause()
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(message);
    }

    /** Every byte of the header, and of a small frame every byte; cut at every length where that is short. */
    @ParameterizedTest
    @MethodSource("subjects")
    void refusesEveryByteThatIsWrongAndEveryLength(SketchSubject subject) throws IOException {
        byte[] good = subject.build().toBytes();
        int header = ByteBuffer.wrap(good).order(ByteOrder.LITTLE_ENDIAN).getInt(16);
        int checked = good.length <= SMALL_BYTES ? good.length : header;
        for (int at = 0; at < checked; at++) {
            for (int flipped : new int[] {0x01, 0x10, 0x80, 0xFF}) {
                byte[] bad = good.clone();
                bad[at] ^= (byte) flipped;
                assertThat(refusal(bad)).as("byte %d ^ %02x", at, flipped).doesNotStartWith("nothing");
            }
        }
        for (int length = 0; length < checked; length++) {
            assertThat(refusal(Arrays.copyOf(good, length)))
                    .as("length %d", length)
                    .doesNotStartWith("nothing");
        }
        assertThat(refusal(Arrays.copyOf(good, good.length - 1))).doesNotStartWith("nothing");
        assertThat(refusal(Arrays.copyOf(good, good.length + 1)))
                .isEqualTo("it is longer than it should be: " + (good.length + 1) + " bytes where its header says "
                        + good.length);
        Sketch read = Perhaps.fromBytes(good);
        Key<?> key = Key.longs();
        assertRefused(read, Arrays.copyOf(good, good.length - 1), key, " ");
        assertRefused(read, Arrays.copyOf(good, good.length + 1), key, " ");
    }

    /** One thousand random corruptions: bits flipped, bytes cut off, bytes put in, stretches overwritten. */
    @ParameterizedTest
    @MethodSource("subjects")
    void refusesEveryCorruptedFile(SketchSubject subject) throws IOException {
        byte[] good = subject.build(Key.DEFAULT_SEED, 100).toBytes();
        Path file = folder.resolve("damaged");
        Random random = new Random(7);
        for (int round = 0; round < 1_000; round++) {
            byte[] bad = Corruption.anywhere(good, random);
            // Bytes are read as a file is, and sooner.
            boolean asFile = round % 20 == 0;
            if (asFile) {
                Files.write(file, bad);
            }
            long allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
            String refusal = asFile ? refusal(file) : refusal(bad);
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore;
            assertThat(refusal)
                    .as("round %d", round)
                    .startsWith(asFile ? file + ": " : "")
                    .doesNotStartWith("nothing");
            assertThat(allocated).as("round %d", round).isLessThan(bad.length + ALLOCATED_BESIDES);
        }
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void describesItsKindItsParametersItsSizeAndItsError(SketchSubject subject) throws IOException {
        Sketch sketch = subject.build(5, 40);
        Description description = sketch.describe();
        assertThat(description.kind()).isEqualTo(subject.kind());
        Sketch.Header header = Perhaps.look(saved(sketch));
        assertThat(fact(description, "key").value()).isEqualTo(header.keyName());
        assertThat(fact(description, "seed").value()).isEqualTo("5");
        assertThat(fact(description, "sizeBytes").value()).isEqualTo(sketch.sizeBytes());
        assertThat(fact(description, "fileBytes").value()).isEqualTo(sketch.fileBytes());
        assertThat(fact(description, subject.error()).text()).isNotBlank();
        assertThat(description.facts().stream().map(Description.Fact::name)).doesNotHaveDuplicates();
        assertThat(description.toString()).contains("kind", subject.kind().word(), "size bytes", "file bytes");
        assertThat(sketch.toString()).isNotBlank().doesNotContain("@");
    }

    @ParameterizedTest
    @MethodSource("equalByContent")
    void isEqualExactlyToWhatHasItsBytes(SketchSubject subject) throws IOException {
        Sketch one = subject.build();
        Sketch same = subject.build();
        Sketch read = Perhaps.fromBytes(one.toBytes());
        assertThat(one).isEqualTo(one).isEqualTo(same).hasSameHashCodeAs(same).isNotEqualTo(null);
        assertThat(one).isEqualTo(read).hasSameHashCodeAs(read).isNotEqualTo("a string");
        assertThat(read).isEqualTo(one);
        for (Sketch other : List.of(subject.build(Key.DEFAULT_SEED, 5), subject.build(9, 40))) {
            assertThat(one).isNotEqualTo(other);
            assertThat(other).isNotEqualTo(one);
            assertThat(one.contentEquals(other)).isFalse();
        }
        byte[] bytes = one.toBytes();
        for (SketchSubject any : SketchSubject.all().toList()) {
            Sketch other = any.build();
            boolean sameBytes = Arrays.equals(other.toBytes(), bytes);
            assertThat(one.contentEquals(other)).as("%s", any).isEqualTo(sameBytes);
            assertThat(one.equals(other)).as("%s", any).isEqualTo(sameBytes && isEqualByContent(other));
        }
    }

    @ParameterizedTest
    @MethodSource("equalByIdentity")
    void isEqualToItselfOnlyWhereThreadsShareIt(SketchSubject subject) throws IOException {
        Sketch one = subject.build();
        Sketch same = subject.build();
        Sketch read = Perhaps.fromBytes(one.toBytes());
        assertThat(one).isEqualTo(one).isNotEqualTo(same).isNotEqualTo(read).isNotEqualTo(null);
        assertThat(one.hashCode()).isEqualTo(System.identityHashCode(one));
        assertThat(one.contentEquals(same)).isTrue();
        assertThat(one.contentEquals(read)).isTrue();
        assertThat(read.contentEquals(one)).isTrue();
        assertThat(one.contentEquals(subject.build(Key.DEFAULT_SEED, 5))).isFalse();
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void isNotEqualAnyMoreWhenItsContentChanges(SketchSubject subject) throws IOException {
        Sketch before = Perhaps.fromBytes(subject.build().toBytes());
        Sketch after = Perhaps.fromBytes(subject.build().toBytes());
        GoingOn.with(after, 20);
        boolean same = Arrays.equals(before.toBytes(), after.toBytes());
        assertThat(before.contentEquals(after)).isEqualTo(same);
        assertThat(before.equals(after)).isEqualTo(same && isEqualByContent(before));
    }

    @ParameterizedTest
    @MethodSource("shareable")
    void isConcurrentOnRequestAfterReading(SketchSubject subject) throws IOException {
        Sketch built = subject.build();
        byte[] bytes = built.toBytes();
        Sketch read = Perhaps.fromBytes(bytes);
        assertThat(((Shareable<?>) read).isConcurrent()).isFalse();
        assertThat(read.describe().toString()).containsPattern("(?m)^concurrent +no$");
        Sketch shared = Perhaps.concurrent(read);
        assertThat(((Shareable<?>) shared).isConcurrent()).isTrue();
        assertThat(shared.describe().toString()).containsPattern("(?m)^concurrent +yes$");
        assertThat(factsButConcurrency(shared)).isEqualTo(factsButConcurrency(built));
        assertThat(shared.toBytes()).isEqualTo(bytes);
        assertThat(Perhaps.concurrent(shared)).isSameAs(shared);

        Sketch plain = Perhaps.fromBytes(bytes);
        assertThat(shared).isEqualTo(shared).isNotEqualTo(plain);
        assertThat(plain).isNotEqualTo(shared);
        assertThat(shared.hashCode()).isEqualTo(System.identityHashCode(shared));
        assertThat(plain.contentEquals(shared)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("notShareable")
    void saysThatItHasNoConcurrentForm(SketchSubject subject) {
        Sketch sketch = subject.build();
        assertThatThrownBy(() -> Perhaps.concurrent(sketch))
                .isInstanceOfAny(IllegalArgumentException.class, IllegalStateException.class)
                .hasMessageContaining("has no concurrent form: guard it with a lock");
        assertThat(sketch.describe().toString()).doesNotContainPattern("(?m)^concurrent +yes$");
    }

    private Path saved(Sketch sketch) throws IOException {
        Path file = folder.resolve("sketch");
        sketch.save(file);
        return file;
    }

    private static byte[] written(Sketch sketch) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        sketch.writeTo(out);
        return out.toByteArray();
    }

    private static Key<?> key(Path file) throws IOException {
        Sketch.Header header = Perhaps.look(file);
        return Key.named(header.keyName(), header.seed());
    }

    private static Description.Fact fact(Description description, String name) {
        return description.facts().stream()
                .filter(fact -> fact.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no fact '" + name + "' in\n" + description));
    }

    /** What it says of itself; whether many threads may use it the opener chooses, not the file. */
    private static List<Description.Fact> factsButConcurrency(Sketch sketch) {
        return sketch.describe().facts().stream()
                .filter(fact -> !fact.name().equals("concurrent"))
                .toList();
    }

    private static String refusal(Path file) throws IOException {
        try {
            return "nothing was refused: " + Perhaps.open(file);
        } catch (FormatException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static String refusal(byte[] bytes) throws IOException {
        try {
            return "nothing was refused: " + Perhaps.fromBytes(bytes);
        } catch (FormatException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Calls the public static method of this name, with the source and, where it takes them, key and cap. */
    private static Sketch read(Sketch of, String name, Object source, Key<?> key) throws ReflectiveOperationException {
        for (Class<?> type = of.getClass(); type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                int modifiers = method.getModifiers();
                if (method.getName().equals(name) && Modifier.isStatic(modifiers) && Modifier.isPublic(modifiers)) {
                    Object[] arguments = Arrays.stream(method.getParameterTypes())
                            .map(parameter -> argument(parameter, source, key))
                            .toArray();
                    return (Sketch) method.invoke(null, arguments);
                }
            }
        }
        throw new NoSuchMethodException("a " + of.kind() + " has no static method " + name);
    }

    private static Object argument(Class<?> parameter, Object source, Key<?> key) {
        if (parameter == long.class) {
            return CAP;
        }
        if (parameter == InputStream.class || parameter.isInstance(source)) {
            return source;
        }
        return key;
    }
}
