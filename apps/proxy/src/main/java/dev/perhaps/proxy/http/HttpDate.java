package dev.perhaps.proxy.http;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Dates of HTTP (RFC 9110, section 5.6.7): one form to write, three to read. */
public final class HttpDate {
    /** A missing or invalid date. */
    public static final long NONE = Long.MIN_VALUE;

    private static final DateTimeFormatter WRITTEN =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);
    private static final int CASE =
            Pattern.CASE_INSENSITIVE; // more generous than the standard, and nobody can be misled
    private static final String CLOCK = "(\\d\\d):(\\d\\d):(\\d\\d)";
    private static final Pattern FIXED = Pattern.compile("\\w{3}, (\\d\\d) (\\w{3}) (\\d{4}) " + CLOCK + " GMT", CASE);
    private static final Pattern RFC_850 =
            Pattern.compile("\\w{6,9}, (\\d\\d)-(\\w{3})-(\\d\\d) " + CLOCK + " GMT", CASE);
    private static final Pattern ASCTIME = Pattern.compile("\\w{3} (\\w{3}) ([ \\d]\\d) " + CLOCK + " (\\d{4})");
    private static final String MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";
    private static final long YEAR_SECONDS = 31_556_952;

    private HttpDate() {}

    public static String write(long millis) {
        return WRITTEN.format(LocalDateTime.ofInstant(Instant.ofEpochMilli(millis), ZoneOffset.UTC));
    }

    /**
     * Seconds since 1970, or {@link #NONE}.
     *
     * @param nowMillis decides the century of a year of two digits: one that is more than 50 years ahead is in the past
     */
    public static long read(@Nullable String text, long nowMillis) {
        if (text == null || text.length() > 40) {
            return NONE;
        }
        try {
            Matcher form = FIXED.matcher(text);
            if (form.matches()) {
                return seconds(form.group(3), form.group(2), form.group(1), form, 4);
            }
            form = ASCTIME.matcher(text);
            if (form.matches()) {
                return seconds(form.group(6), form.group(1), form.group(2), form, 3);
            }
            form = RFC_850.matcher(text);
            if (form.matches()) {
                int century =
                        Instant.ofEpochMilli(nowMillis).atOffset(ZoneOffset.UTC).getYear() / 100;
                long date = seconds(century + form.group(3), form.group(2), form.group(1), form, 4);
                return date <= nowMillis / 1000 + 50 * YEAR_SECONDS
                        ? date
                        : seconds(century - 1 + form.group(3), form.group(2), form.group(1), form, 4);
            }
        } catch (DateTimeException e) {
            return NONE; // the 31st of February
        }
        return NONE;
    }

    private static long seconds(String year, String month, String day, Matcher form, int clock) {
        int place = MONTHS.indexOf(month.toLowerCase(Locale.ROOT));
        if (place < 0 || place % 3 != 0) {
            return NONE;
        }
        return LocalDateTime.of(
                        Integer.parseInt(year),
                        place / 3 + 1,
                        Integer.parseInt(day.strip()),
                        Integer.parseInt(form.group(clock)),
                        Integer.parseInt(form.group(clock + 1)),
                        Math.min(59, Integer.parseInt(form.group(clock + 2))))
                .toEpochSecond(ZoneOffset.UTC);
    }
}
