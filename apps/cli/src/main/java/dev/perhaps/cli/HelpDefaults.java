package dev.perhaps.cli;

import dev.perhaps.chord.store.FileStore;
import dev.perhaps.cli.options.Amounts;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.membership.ExpiringBloom;
import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Timeouts;
import java.time.Duration;
import java.util.Collections;
import java.util.Enumeration;
import java.util.ResourceBundle;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Defaults that help pages print and that are no constants an annotation could name: {@code ${bundle:default.repairRate}}. They are taken
 * from where they are defined, when a page is printed and not before, so that no other command loads these classes.
 */
final class HelpDefaults extends ResourceBundle {
    /** picocli replaces the description of an option by the text whose key is the option's name: no key here may be one. */
    private static final String PREFIX = "default.";

    private static final long LARGE_CACHE_BYTES = 1L << 40;
    private static final long SMALL_CACHE_BYTES = 1 << 20;

    private static final Set<String> NAMES = Set.of(
            "window",
            "repairRate",
            "scrubRate",
            "scrubEvery",
            "largest",
            "clientMemory",
            "requestLimit",
            "timeout",
            "cells",
            "rangeCells");

    @Override
    protected @Nullable Object handleGetObject(String key) {
        return key.startsWith(PREFIX) ? text(key.substring(PREFIX.length())) : null;
    }

    private static @Nullable String text(String name) {
        return switch (name) {
            case "window" -> Amounts.text(ExpiringBloom.DEFAULT_WINDOW);
            case "repairRate" -> Amounts.text(FileStore.Limits.usual().repairBytesPerSecond());
            case "scrubRate" -> Amounts.text(FileStore.Limits.usual().scrubBytesPerSecond());
            case "scrubEvery" ->
                Amounts.text(Duration.ofMillis(FileStore.Pace.usual().scrubMillis()));
            case "largest" -> Amounts.text(Limits.ofCache(LARGE_CACHE_BYTES).entryBytes());
            case "clientMemory" ->
                Amounts.text(Limits.ofCache(SMALL_CACHE_BYTES).memoryBytes());
            case "requestLimit" ->
                Amounts.text(Limits.ofCache(SMALL_CACHE_BYTES).requestBytes());
            case "timeout" -> Amounts.text(Duration.ofMillis(Timeouts.usual().responseMillis()));
            case "cells" -> Integer.toString(CountMin.Cells.BITS_32.bits());
            case "rangeCells" -> Integer.toString(CountMin.Cells.BITS_64.bits());
            default -> null;
        };
    }

    @Override
    public Enumeration<String> getKeys() {
        return Collections.enumeration(NAMES.stream().map(PREFIX::concat).toList());
    }
}
