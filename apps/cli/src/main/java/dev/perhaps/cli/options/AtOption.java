package dev.perhaps.cli.options;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.membership.ExpiringBloom;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sketch;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --at}: the time at which items are added to an expiring filter or looked up in it. */
public final class AtOption {
    @Option(
            names = "--at",
            paramLabel = "TIME",
            description = "expiring: the time of additions and lookups, such as 2026-11-17T06:00:00Z or in "
                    + "milliseconds since 1970 (default: now).")
    private @Nullable String time;

    public boolean isGiven() {
        return time != null;
    }

    /** Always the time that was given, or else the time it is. */
    public LongSupplier clock() {
        if (time == null) {
            return System::currentTimeMillis;
        }
        long millis = millis(time);
        return () -> millis;
    }

    private static long millis(String time) {
        try {
            long millis = time.matches("-?[0-9]{1,18}")
                    ? Long.parseLong(time)
                    : OffsetDateTime.parse(time).toInstant().toEpochMilli();
            if (Math.abs(millis) <= ExpiringBloom.MAX_MILLIS) {
                return millis;
            }
        } catch (DateTimeException | ArithmeticException e) {
            // said below
        }
        throw new BadInput("--at must be a time such as " + Instant.EPOCH.plusSeconds(1_800_000_000)
                + " or milliseconds since 1970, got '" + time + "'");
    }

    /** What was opened, at that time. */
    @SuppressWarnings("unchecked") // an expiring filter with another clock is one
    public <S extends Sketch> S of(S opened, SketchFile file) {
        if (opened instanceof ExpiringBloom<?> expiring) {
            return (S) expiring.withClock(clock());
        }
        if (time != null) {
            throw new BadInput("--at goes with filters of kind " + Kind.EXPIRING + ", and " + file + " is a "
                    + opened.kind() + ": leave --at out");
        }
        return opened;
    }
}
