package dev.perhaps.chord.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.Member;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.ClusterSecret;
import dev.perhaps.web.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a peer keeps over a restart, also if the disk does not. */
class PeerFolderTest {
    private static final Member A = Member.at("a:1", 0);

    @TempDir
    private Path folder;

    private final List<String> log = new ArrayList<>();

    private PeerFolder open() throws IOException {
        return PeerFolder.open(folder, Cluster.open(), log::add);
    }

    @Test
    void everyLifeHasAHigherNumberAndKnowsWhomTheLastKnew() throws Exception {
        long before = 0;
        for (int i = 0; i < 3; i++) {
            try (PeerFolder opened = open()) {
                assertThat(opened.firstRequest()).isGreaterThanOrEqualTo(before + (1L << 32));
                assertThat(opened.members()).hasSize(i == 0 ? 0 : 1);
                before = opened.firstRequest();
                opened.keep(List.of(A));
            }
        }
        assertThat(log).isEmpty();
    }

    @Test
    void whatIsDamagedIsLostAndThePeerStarts() throws Exception {
        long before;
        try (PeerFolder opened = open()) {
            before = opened.firstRequest();
            opened.keep(List.of(A));
        }
        for (String noise : List.of("", "perhaps\n7\n0\n", "other\n1\nabc\n", "perhaps\nmany\n", "\u0000\r\n\n\n\n")) {
            Files.writeString(folder.resolve("peer"), noise);
            Files.writeString(folder.resolve("members"), A.id() + " a:1\n" + A.id() + " b\r:1\nnobody\n" + noise);
            log.clear();
            try (PeerFolder opened = open()) {
                assertThat(opened.firstRequest()).isGreaterThan(before);
                assertThat(opened.members()).containsExactly(A);
            }
            assertThat(log).as(noise).hasSize(2);
            assertThat(folder.resolve("members.damaged")).exists();
        }
    }

    @Test
    void anotherClusterIsToldFromDamage() throws Exception {
        open().close();
        Cluster other = new Cluster("other", Optional.empty());
        assertThatThrownBy(() -> PeerFolder.open(folder, other, log::add))
                .hasMessageContaining("this folder is of cluster 'perhaps', not of 'other'");
        assertThatThrownBy(() -> new Cluster("two\nlines", Optional.empty())).hasMessageContaining("two\\u000alines");
    }

    private static String rights(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void whatItKeepsIsForItsOwnerAndWhatAKillLeftIsCleaned() throws Exception {
        Path made = folder.resolve("made");
        PeerFolder.open(made, Cluster.open(), log::add).close();
        assertThat(rights(made)).isEqualTo("rwx------");
        assertThat(rights(made.resolve("peer"))).isEqualTo("rw-------");
        assertThat(rights(made.resolve("lock"))).isEqualTo("rw-------");
        String before = rights(folder);
        Files.writeString(folder.resolve(".peer.abc.unfinished"), "half");
        Files.writeString(folder.resolve(".presence.abc.unfinished"), "half");
        Files.writeString(folder.resolve(".other.abc.unfinished"), "not ours");
        try (PeerFolder opened = open()) {
            opened.keep(List.of(A));
        }
        assertThat(rights(folder)).as("a folder that was there stays as it is").isEqualTo(before);
        assertThat(rights(folder.resolve("members"))).isEqualTo("rw-------");
        assertThat(folder.resolve(".peer.abc.unfinished")).doesNotExist();
        assertThat(folder.resolve(".presence.abc.unfinished")).doesNotExist();
        assertThat(folder.resolve(".other.abc.unfinished")).exists();
    }

    @Test
    void aSecretThatEverybodyMayReadIsRefused() throws Exception {
        Path file = Files.writeString(folder.resolve("secret"), "correct horse battery staple\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> ClusterSecret.read(file))
                .hasMessage(
                        file + ": everybody may read or write this secret (rw-r--r--): run 'chmod 600 " + file + "'");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(ClusterSecret.read(file).role()).isEqualTo(Role.PEER);
    }
}
