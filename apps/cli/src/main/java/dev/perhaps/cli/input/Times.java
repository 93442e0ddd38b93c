package dev.perhaps.cli.input;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.format.SignStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.Locale;

/**
 * Times as found in logs, as milliseconds since 1970: seconds since then (with a fraction, or not), milliseconds, ISO
 * 8601 (default zone: UTC), and the common log format, with its brackets or without.
 */
final class Times {
    /** No time. */
    static final long NONE = Long.MIN_VALUE;

    /** Seconds have at most this many digits, which reach the year 5138; milliseconds have more, since 1973. */
    private static final int SECOND_DIGITS = 11;

    private static final int MILLI_DIGITS = 14;

    private static final DateTimeFormatter ISO = new DateTimeFormatterBuilder()
            .parseCaseInsensitive()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .optionalStart()
            .appendLiteral('T')
            .append(DateTimeFormatter.ISO_LOCAL_TIME)
            .optionalStart()
            .appendPattern("[XXXXX][XXX][X]")
            .optionalEnd()
            .optionalEnd()
            .toFormatter(Locale.ROOT)
            .withResolverStyle(ResolverStyle.STRICT);
    private static final DateTimeFormatter COMMON_LOG = new DateTimeFormatterBuilder()
            .appendValue(ChronoField.DAY_OF_MONTH, 1, 2, SignStyle.NOT_NEGATIVE)
            .appendPattern("/MMM/uuuu:HH:mm:ss XX")
            .toFormatter(Locale.ENGLISH)
            .withResolverStyle(ResolverStyle.STRICT);

    private Times() {}

    /** The time that this text says, or {@link #NONE}. */
    static long parse(String text) {
        if (text.isEmpty()) {
            return NONE;
        }
        try {
            if (text.indexOf('-', 1) < 0 && text.indexOf('/') < 0) {
                return sinceEpoch(text);
            }
            if (text.indexOf('/') > 0) {
                boolean brackets = text.startsWith("[") && text.endsWith("]");
                String bare = brackets ? text.substring(1, text.length() - 1) : text;
                return OffsetDateTime.parse(bare, COMMON_LOG).toInstant().toEpochMilli();
            }
            return iso(text);
        } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
            return NONE;
        }
    }

    private static long sinceEpoch(String text) {
        int point = text.indexOf('.');
        String whole = point < 0 ? text : text.substring(0, point);
        if (!whole.chars().allMatch(c -> c >= '0' && c <= '9') || whole.isEmpty() || whole.length() > MILLI_DIGITS) {
            return NONE;
        }
        long value = Long.parseLong(whole);
        if (point < 0) {
            return whole.length() <= SECOND_DIGITS ? value * 1000 : value;
        }
        String fraction = text.substring(point + 1);
        boolean digits = !fraction.isEmpty() && fraction.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!digits || whole.length() > SECOND_DIGITS) {
            return NONE;
        }
        return value * 1000 + Long.parseLong((fraction + "00").substring(0, 3));
    }

    private static long iso(String text) {
        boolean space = text.length() > 10 && text.charAt(10) == ' ';
        TemporalAccessor parsed = ISO.parse(space ? text.substring(0, 10) + 'T' + text.substring(11) : text);
        LocalDate date = LocalDate.from(parsed);
        if (parsed.query(TemporalQueries.localTime()) == null) {
            return date.atStartOfDay().toInstant(ZoneOffset.UTC).toEpochMilli();
        }
        ZoneOffset offset = parsed.query(TemporalQueries.offset());
        Instant instant = LocalDateTime.from(parsed).toInstant(offset == null ? ZoneOffset.UTC : offset);
        return instant.toEpochMilli();
    }
}
