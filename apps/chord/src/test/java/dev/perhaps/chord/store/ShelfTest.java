package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Failure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one peer has on its disk: whole or not at all, the newest, and never dropped by two who rely on each other. */
class ShelfTest {
    @TempDir
    private Path folder;

    private final List<String> log = new ArrayList<>();

    @CanIgnoreReturnValue
    private Shelf open() throws IOException {
        return Shelf.open(folder, 10 << 20, 9_000, log::add);
    }

    private static byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private static StoreEntry file(byte[] content) {
        return StoreEntry.file(Id.hashOf(content), 1, content.length, 3);
    }

    private static void put(Shelf shelf, StoreEntry entry, byte[] content) throws IOException {
        try (Intake intake = shelf.take(entry, true)) {
            for (int i = 0; i < content.length; i += Shelf.CHUNK_BYTES) {
                intake.write(Arrays.copyOfRange(content, i, Math.min(content.length, i + Shelf.CHUNK_BYTES)));
            }
            intake.finish();
        }
    }

    private static byte[] get(Shelf shelf, Id key, long skip) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (StoredCopy copy = shelf.read(key)) {
            copy.skip(skip);
            while (copy.hasNext()) {
                out.write(copy.next());
            }
        }
        return out.toByteArray();
    }

    @Test
    void givesBackWhatWasPutAlsoAfterARestart() throws Exception {
        Shelf shelf = open();
        int[] sizes = {0, 1, 65_535, 65_536, 65_537, 300_000};
        for (int size : sizes) {
            put(shelf, file(bytes(size)), bytes(size));
        }
        Shelf again = open();
        for (int size : sizes) {
            byte[] content = bytes(size);
            assertThat(get(again, Id.hashOf(content), 0)).isEqualTo(content);
        }
        assertThat(get(again, Id.hashOf(bytes(300_000)), 4))
                .as("from its fifth chunk on")
                .isEqualTo(Arrays.copyOfRange(bytes(300_000), 4 * Shelf.CHUNK_BYTES, 300_000));
        assertThat(again.usedBytes()).isEqualTo(Arrays.stream(sizes).sum());
        assertThat(log).isEmpty();
    }

    @Test
    void keepsNothingOfWhatIsNotWholeOrNotWhatItSays() throws Exception {
        Shelf shelf = open();
        byte[] content = bytes(100_000);
        try (Intake intake = shelf.take(file(content), true)) {
            intake.write(Arrays.copyOf(content, Shelf.CHUNK_BYTES));
            assertThatThrownBy(intake::finish).hasMessageContaining("only 65536 of 100000 bytes");
        }
        StoreEntry other = StoreEntry.file(Id.hashOf("other"), 1, content.length, 3);
        assertThatThrownBy(() -> put(shelf, other, content)).hasMessageContaining("checksum mismatch");
        assertThat(shelf.all()).isEmpty();
        assertThat(shelf.usedBytes()).isZero();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void whatAKillLeftIsThrownAwayAtTheNextStart() throws Exception {
        Files.write(folder.resolve(Id.hashOf("x") + ".7.coming"), bytes(100));
        open();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void everyChangedByteOfACopyIsNoticed() throws Exception {
        byte[] content = bytes(70_000);
        StoreEntry entry = file(content);
        put(open(), entry, content);
        Path file = folder.resolve(entry.key().toString());
        byte[] good = Files.readAllBytes(file);
        Random random = new Random(3);
        for (int i = 0; i < 200; i++) {
            byte[] bad = good.clone();
            bad[i < 100 ? i : random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, bad);
            assertThatThrownBy(() -> {
                        try (StoredCopy copy = StoredCopy.open(file)) {
                            while (copy.hasNext()) {
                                copy.next();
                            }
                        }
                    })
                    .isInstanceOf(StoredCopy.Damaged.class);
        }
        Files.write(file, Arrays.copyOf(good, good.length - 1));
        Shelf shelf = open();
        assertThat(shelf.get(entry.key())).isNull();
        assertThat(log).hasSize(1);
        put(shelf, entry, content);
        assertThat(get(shelf, entry.key(), 0)).isEqualTo(content);
    }

    @Test
    void theNewestCountsInWhateverOrderTheyCome() throws Exception {
        byte[] content = bytes(10);
        StoreEntry first = file(content);
        StoreEntry again = StoreEntry.file(first.key(), 2, 10, 3);
        Shelf shelf = open();
        put(shelf, first, content);
        put(shelf, first.deleted(), new byte[0]);
        assertThat(shelf.usedBytes()).isZero();
        put(shelf, first, content);
        assertThat(shelf.get(first.key())).as("an old copy brings nothing back").isEqualTo(first.deleted());
        assertThat(shelf.usedBytes()).isZero();
        put(shelf, again, content);
        assertThat(shelf.get(first.key())).isEqualTo(again);
        put(shelf, first.deleted(), new byte[0]);
        assertThat(shelf.get(first.key())).isEqualTo(again);
        assertThat(open().get(first.key())).isEqualTo(again);
    }

    @Test
    void ofTheSameFileTheOneWithMoreCopiesCounts() throws Exception {
        byte[] content = bytes(10);
        StoreEntry two = StoreEntry.file(Id.hashOf(content), 1, 10, 2);
        Shelf shelf = open();
        put(shelf, two, content);
        assertThat(shelf.holds(file(content))).isFalse();
        put(shelf, file(content), content);
        assertThat(shelf.holds(two)).isTrue();
        put(shelf, two, content);
        assertThat(shelf.get(two.key())).isEqualTo(file(content));
        assertThat(shelf.usedBytes()).isEqualTo(10);
    }

    @Test
    void aNameIsWhoseItWasFirst() throws Exception {
        Shelf shelf = open();
        Id low = Id.fromHex("0".repeat(40));
        Id high = Id.fromHex("f".repeat(40));
        StoreEntry first = StoreEntry.name("n", high, 1, 3);
        put(shelf, first, new byte[0]);
        put(shelf, first, new byte[0]);
        StoreEntry second = StoreEntry.name("n", low, 1, 3);
        assertThatThrownBy(() -> shelf.refuseTaken(second)).hasMessageContaining("is taken by " + high);
        assertThatThrownBy(() -> put(shelf, second, new byte[0])).isInstanceOf(Failure.class);
        put(shelf, first.deleted(), new byte[0]);
        StoreEntry third = StoreEntry.name("n", low, 2, 3);
        put(shelf, third, new byte[0]);
        assertThat(shelf.get(first.key())).isEqualTo(third);
    }

    @Test
    void whatDoesNotFitIsRefusedAndTakesNoRoom() throws Exception {
        Shelf shelf = Shelf.open(folder, 3 * Shelf.BLOCK_BYTES, 9_000, log::add);
        put(shelf, file(bytes(5_000)), bytes(5_000));
        assertThatThrownBy(() -> shelf.take(file(bytes(4_097)), true)).hasMessageContaining("the peer is full");
        put(shelf, file(bytes(4_096)), bytes(4_096));
        assertThat(shelf.usedBytes()).isEqualTo(9_096);
        assertThat(shelf.blockBytes()).isEqualTo(3 * Shelf.BLOCK_BYTES);
    }

    /** A million names were free, and filled disk and memory whatever the quota was. */
    @Test
    void namesAndMarksCountAgainstTheQuotaAndAPeerThatIsFullCanStillDelete() throws Exception {
        Shelf shelf = Shelf.open(folder, 3 * Shelf.BLOCK_BYTES, 9_000, log::add);
        Id target = Id.hashOf("file");
        for (int i = 0; i < 3; i++) {
            put(shelf, StoreEntry.name("n" + i, target, 1, 3), new byte[0]);
        }
        assertThatThrownBy(() -> shelf.take(StoreEntry.name("n3", target, 1, 3), true))
                .hasMessageContaining("the peer is full");
        put(shelf, StoreEntry.name("n0", target, 1, 3).deleted(), new byte[0]);
        put(shelf, StoreEntry.name("n0", target, 2, 3), new byte[0]);
        assertThatThrownBy(() -> shelf.take(StoreEntry.name("n4", target, 1, 3).deleted(), false))
                .as("a mark of what is not here")
                .hasMessageContaining("the peer is full");
        assertThat(shelf.blockBytes()).isEqualTo(3 * Shelf.BLOCK_BYTES);
        Shelf again = Shelf.open(folder, 3 * Shelf.BLOCK_BYTES, 9_000, log::add);
        assertThat(again.blockBytes()).isEqualTo(3 * Shelf.BLOCK_BYTES);
        assertThat(again.usedBytes()).isZero();
    }

    @Test
    void nobodyElseOnTheMachineMayReadWhatIsHere() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        put(open(), file(bytes(10)), bytes(10));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .isEqualTo("rwx------");
        Path copy = folder.resolve(Id.hashOf(bytes(10)).toString());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)))
                .isEqualTo("rw-------");
    }

    @Test
    void twoThatRelyOnEachOtherDoNotBothDrop() throws Exception {
        byte[] content = bytes(10);
        StoreEntry entry = file(content);
        Shelf one = Shelf.open(folder.resolve("one"), 100_000, 9_000, log::add);
        Shelf two = Shelf.open(folder.resolve("two"), 100_000, 9_000, log::add);
        put(one, entry, content);
        put(two, entry, content);
        assertThat(one.leaving(List.of(entry)))
                .as("just promised to the peer that put it")
                .isEmpty();
        Shelf oneLater = Shelf.open(folder.resolve("one"), 100_000, 9_000, log::add);
        Shelf twoLater = Shelf.open(folder.resolve("two"), 100_000, 9_000, log::add);
        assertThat(oneLater.leaving(List.of(entry))).containsExactly(entry);
        assertThat(oneLater.holds(entry)).as("not for others to rely on").isFalse();
        assertThatThrownBy(() -> oneLater.take(entry, false)).hasMessageContaining("handing over its copy");
        assertThat(twoLater.holds(entry)).isTrue();
        assertThat(twoLater.leaving(List.of(entry))).as("promised").isEmpty();
        twoLater.drop(entry);
        assertThat(twoLater.get(entry.key())).isEqualTo(entry);
        oneLater.drop(entry);
        assertThat(oneLater.get(entry.key())).isNull();
        assertThat(get(twoLater, entry.key(), 0)).isEqualTo(content);
    }
}
