package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.Perhaps;
import dev.perhaps.frequency.Distinct;
import dev.perhaps.frequency.Flows;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.CuckooFilter;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.membership.ScalableBloom;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of the library in the folder of a data directory: loaded, saved, and never anywhere else. */
class FilesIT {
    @TempDir
    Path directory;

    private SketchServer open() throws IOException {
        return SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directory(directory.resolve("data"))
                .open();
    }

    private Path files() throws IOException {
        return Files.createDirectories(directory.resolve("data/files"));
    }

    private static BloomFilter<String> filter() {
        BloomFilter<String> filter = BloomFilter.expecting(1_000).build();
        filter.addAll(List.of("ada", "grace", "edsger"));
        return filter;
    }

    @Test
    void aLoadedFileIsAskedAndSurvivesARestartWithoutTheFile() throws IOException {
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 3)) {
            filter().save(files().resolve("seen.perhaps"));
            CuckooFilter<Long> numbers =
                    CuckooFilter.expecting(100).of(Key.longs()).build();
            numbers.add(4711L);
            numbers.save(files().resolve("numbers"));
            assertThat(wire.call("PERHAPS.LOAD", "seen", "seen.perhaps")).isEqualTo("+OK⏎");
            assertThat(wire.call("PERHAPS.LOAD", "numbers", "numbers")).isEqualTo("+OK⏎");
            assertThat(wire.call("TYPE", "seen")).isEqualTo("+bloom⏎");
            assertThat(wire.call("BF.ADD", "seen", "alan")).isEqualTo("#t⏎");
        }
        for (Path file : List.of(files().resolve("seen.perhaps"), files().resolve("numbers"))) {
            Files.delete(file);
        }
        // From the log, and after that from a snapshot.
        for (int i = 0; i < 2; i++) {
            try (SketchServer server = open();
                    Wire wire = Wire.open(server, 3)) {
                assertThat(wire.call("BF.MEXISTS", "seen", "ada", "alan", "nobody"))
                        .isEqualTo("*3⏎#t⏎#t⏎#f⏎");
                assertThat(wire.call("CF.EXISTS", "numbers", "4711")).isEqualTo("#t⏎");
                assertThat(wire.call("CF.EXISTS", "numbers", "4712")).isEqualTo("#f⏎");
                assertThat(wire.call("CF.EXISTS", "numbers", "many"))
                        .isEqualTo("-ERR value is not an integer or out of range⏎");
                assertThat(wire.call("SAVE")).isEqualTo("+OK⏎");
            }
        }
    }

    @Test
    void aSavedFileIsOneOfTheLibraryAndIsNotReplacedUnasked() throws IOException {
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 3)) {
            filter().save(files().resolve("a"));
            wire.call("PERHAPS.LOAD", "seen", "a");
            wire.call("BF.ADD", "seen", "alan");
            assertThat(wire.call("PERHAPS.SAVE", "seen", "b")).startsWith(":");
            HashFilter<String> saved = Perhaps.openFilter(files().resolve("b"), Key.strings());
            assertThat(saved.mightContain("alan")).isTrue();
            byte[] before = Files.readAllBytes(files().resolve("b"));
            wire.call("BF.ADD", "seen", "barbara");
            assertThat(wire.call("PERHAPS.SAVE", "seen", "b")).isEqualTo("-ERR the file 'b' exists: use REPLACE⏎");
            assertThat(Files.readAllBytes(files().resolve("b"))).isEqualTo(before);
            assertThat(wire.call("PERHAPS.SAVE", "seen", "b", "REPLACE")).isEqualTo(":" + before.length + "⏎");
            assertThat(Files.readAllBytes(files().resolve("b"))).isNotEqualTo(before);
            assertThat(wire.call("PERHAPS.LOAD", "seen", "b")).isEqualTo("-BUSYKEY Target key name already exists.⏎");
            assertThat(wire.call("PERHAPS.LOAD", "seen", "b", "REPLACE")).isEqualTo("+OK⏎");
            assertThat(wire.call("PERHAPS.SAVE", "missing", "c")).isEqualTo("-ERR no such key⏎");
            assertThat(wire.call("SET", "s", "1")).isEqualTo("+OK⏎");
            assertThat(wire.call("PERHAPS.SAVE", "s", "c")).startsWith("-ERR a 'string' has no file");
        }
        try (Stream<Path> names = Files.list(files())) {
            assertThat(names.map(file -> file.getFileName().toString())).containsExactlyInAnyOrder("a", "b");
        }
    }

    @Test
    void noNameLeavesTheFolder() throws IOException {
        Path outside = directory.resolve("outside");
        filter().save(outside);
        byte[] before = Files.readAllBytes(outside);
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 3)) {
            filter().save(files().resolve("a"));
            wire.call("PERHAPS.LOAD", "k", "a");
            Files.createSymbolicLink(files().resolve("link"), outside);
            Files.createSymbolicLink(files().resolve("dangling"), directory.resolve("made"));
            Files.createDirectory(files().resolve("folder"));
            for (String name :
                    List.of("", ".", "..", "../identity", "/etc/passwd", "a/b", ".a", "-a", "a\\x00", "a b", "ä")) {
                assertThat(wire.call("PERHAPS.LOAD", "x", name)).startsWith("-ERR the name of a file has");
                assertThat(wire.call("PERHAPS.SAVE", "k", name, "REPLACE")).startsWith("-ERR the name of a file has");
            }
            for (String name : List.of("link", "dangling", "folder")) {
                assertThat(wire.call("PERHAPS.LOAD", "x", name))
                        .isEqualTo("-ERR '" + name + "' is not a regular file⏎");
                assertThat(wire.call("PERHAPS.SAVE", "k", name)).startsWith("-ERR the file '" + name + "' exists");
                assertThat(wire.call("PERHAPS.SAVE", "k", name, "REPLACE"))
                        .isEqualTo("-ERR '" + name + "' is not a regular file⏎");
            }
            assertThat(wire.call("PERHAPS.LOAD", "x", "nothing")).startsWith("-ERR no such file 'nothing'");
            assertThat(wire.call("EXISTS", "x")).isEqualTo(":0⏎");
        }
        assertThat(Files.readAllBytes(outside)).isEqualTo(before);
        assertThat(directory.resolve("made")).doesNotExist();
        // A folder that is a link is no folder.
        Path elsewhere = directory.resolve("elsewhere");
        Files.move(files(), elsewhere);
        Files.createSymbolicLink(directory.resolve("data/files"), elsewhere);
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 3)) {
            assertThat(wire.call("PERHAPS.LOAD", "y", "a")).isEqualTo("-ERR the folder of files is not a folder⏎");
            assertThat(wire.call("PERHAPS.SAVE", "k", "z")).isEqualTo("-ERR the folder of files is not a folder⏎");
        }
    }

    @Test
    void badFilesAndLargeOnesChangeNothing() throws IOException {
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 3)) {
            byte[] good = filter().toBytes();
            Files.write(files().resolve("cut"), Arrays.copyOf(good, good.length - 1));
            Files.write(files().resolve("long"), Arrays.copyOf(good, good.length + 1));
            byte[] flipped = good.clone();
            flipped[good.length - 20] ^= 1;
            Files.write(files().resolve("flipped"), flipped);
            Files.write(files().resolve("empty"), new byte[0]);
            Flows.above(10).build().save(files().resolve("flows"));
            wire.call("SET", "k", "before");
            for (String name : List.of("cut", "long", "flipped", "empty", "flows")) {
                assertThat(wire.call("PERHAPS.LOAD", "k", name, "REPLACE"))
                        .startsWith("-ERR cannot load '" + name + "': ");
            }
            assertThat(wire.call("GET", "k")).isEqualTo("$6⏎before⏎");
            ScalableBloom.expecting(1_000_000).build().save(files().resolve("large"));
            assertThat(wire.call("CONFIG", "SET", "max-key-memory", "1000000")).isEqualTo("+OK⏎");
            assertThat(wire.call("PERHAPS.LOAD", "k", "large", "REPLACE"))
                    .isEqualTo("-OOM command not allowed when used memory > 'maxmemory'.⏎");
            assertThat(wire.call("GET", "k")).isEqualTo("$6⏎before⏎");
        }
    }

    /** The items before the one that is none were added, and were not in the log. */
    @Test
    void anItemThatIsNoNumberLetsPfaddChangeNothing() throws IOException {
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            Files.createDirectories(files());
            Distinct.within(0.01).of(Key.longs()).build().save(files().resolve("visitors"));
            assertThat(wire.call("PERHAPS.LOAD", "v", "visitors")).isEqualTo("+OK⏎");
            assertThat(wire.call("PFADD", "v", "1", "2", "three"))
                    .isEqualTo("-ERR value is not an integer or out of range⏎");
            assertThat(wire.call("PFCOUNT", "v")).isEqualTo(":0⏎");
            assertThat(wire.call("PFADD", "v", "1", "2")).isEqualTo(":1⏎");
            assertThat(wire.call("PFCOUNT", "v")).isEqualTo(":2⏎");
        }
    }
}
