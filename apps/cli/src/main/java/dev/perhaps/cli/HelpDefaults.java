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
import java.util.Map;
import java.util.ResourceBundle;
import java.util.function.Supplier;
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

    private static final Map<String, Supplier<String>> TEXTS = Map.of(
            "window", () -> Amounts.text(ExpiringBloom.DEFAULT_WINDOW),
            "repairRate", () -> Amounts.text(FileStore.Limits.usual().repairBytesPerSecond()),
            "scrubRate", () -> Amounts.text(FileStore.Limits.usual().scrubBytesPerSecond()),
            "scrubEvery",
                    () -> Amounts.text(Duration.ofMillis(FileStore.Pace.usual().scrubMillis())),
            "largest", () -> Amounts.text(Limits.ofCache(LARGE_CACHE_BYTES).entryBytes()),
            "clientMemory", () -> Amounts.text(Limits.ofCache(SMALL_CACHE_BYTES).memoryBytes()),
            "requestLimit", () -> Amounts.text(Limits.ofCache(SMALL_CACHE_BYTES).requestBytes()),
            "timeout", () -> Amounts.text(Duration.ofMillis(Timeouts.usual().answerMillis())),
            "cells", () -> Integer.toString(CountMin.Cells.BITS_32.bits()),
            "rangeCells", () -> Integer.toString(CountMin.Cells.BITS_64.bits()));

    @Override
    protected @Nullable Object handleGetObject(String key) {
        Supplier<String> text = key.startsWith(PREFIX) ? TEXTS.get(key.substring(PREFIX.length())) : null;
        return text == null ? null : text.get();
    }

    @Override
    public Enumeration<String> getKeys() {
        return Collections.enumeration(
                TEXTS.keySet().stream().map(PREFIX::concat).toList());
    }
}
