package dev.perhaps.cli.input;

import dev.perhaps.key.Key;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * In which units a sketch counts: with two decimals, in hundredths. It is part of the key's name in the file, before the format:
 * {@code utf8 of amounts=2 csv:product}, {@code int64 of numbers=3}.
 *
 * @param numbers the decimals of the numbers that are counted, for ranges and quantiles
 * @param amounts the decimals of the counts themselves
 */
public record Units(int numbers, int amounts) {
    private static final String OF = " of ";
    private static final Pattern TAGS = Pattern.compile("^(?:numbers=([1-9]) ?)?(?:amounts=([1-9]) ?)?");

    /** Those of a sketch, by the name of its key. */
    public static Units of(String keyName) {
        int of = keyName.indexOf(OF);
        Matcher tags = TAGS.matcher(of < 0 ? "" : keyName.substring(of + OF.length()));
        return tags.find() ? new Units(places(tags.group(1)), places(tags.group(2))) : new Units(0, 0);
    }

    private static int places(@Nullable String digit) {
        return digit == null ? 0 : Integer.parseInt(digit);
    }

    /** What a key is taken from, without the units. */
    static String withoutUnits(String part) {
        return TAGS.matcher(part).replaceFirst("");
    }

    /** The same key, which says in its name what the units are. */
    public <T> Key<T> on(Key<T> key) {
        if (numbers == 0 && amounts == 0) {
            return key;
        }
        int of = key.name().indexOf(OF);
        String tags =
                (numbers == 0 ? "" : "numbers=" + numbers + " ") + (amounts == 0 ? "" : "amounts=" + amounts + " ");
        String part = of < 0 ? "" : withoutUnits(key.name().substring(of + OF.length()));
        return key.on((tags + part).strip(), value -> value);
    }
}
