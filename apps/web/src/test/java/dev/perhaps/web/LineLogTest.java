package dev.perhaps.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Lines end up in the file of that name, all of them or counted. */
@Timeout(60)
class LineLogTest {
    @TempDir
    private Path folder;

    @Test
    void goesOnInANewFileWhenTheOldOneWasMovedAway() throws Exception {
        Path file = folder.resolve("log");
        Path moved = folder.resolve("log.1");
        try (LineLog log = LineLog.to(file.toString())) {
            log.add("before");
            while (Files.size(file) == 0) {
                Thread.onSpinWait();
            }
            Files.move(file, moved);
            log.add("after");
        }
        assertThat(moved).hasContent("before");
        assertThat(file).hasContent("after");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r-----");
    }

    @Test
    void linesThatCannotBeWrittenAreCounted() throws Exception {
        Path file = Files.createDirectory(folder.resolve("sub")).resolve("log");
        LineLog log = LineLog.to(file.toString());
        Files.delete(file);
        Files.delete(file.getParent());
        log.add("lost");
        log.close();
        assertThat(log.dropped()).isPositive();
        long before = log.dropped();
        log.add("too late");
        assertThat(log.dropped()).isEqualTo(before + 1);
        assertThatThrownBy(() -> LineLog.to(file.toString())).isInstanceOf(IOException.class);
    }

    @Test
    void aFieldIsOnePieceOfPrintableAsciiOfLimitedLength() {
        StringBuilder text = new StringBuilder();
        LineLog.escape("a\tb\"c\\\u009b\r\n\u202e", text);
        assertThat(text.toString()).isEqualTo("a\\x09b\\x22c\\x5c\\x9b\\x0d\\x0a\\x202e");
        text.setLength(0);
        LineLog.escape("x".repeat(2_049), text);
        assertThat(text.toString()).isEqualTo("x".repeat(2_048) + "...");
    }
}
