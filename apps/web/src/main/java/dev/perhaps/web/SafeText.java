package dev.perhaps.web;

/** Text from others, made safe for a terminal and for a log. */
public final class SafeText {
    private SafeText() {}

    /**
     * Replaces control and format characters, line ends, unpaired surrogates, and characters that are unassigned or for
     * private use, by {@code \}{@code u} and four hexadecimal digits.
     */
    public static String of(String text) {
        StringBuilder shown = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean isPair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (isPair && isHarmless(Character.getType(text.codePointAt(i)))) {
                if (shown != null) {
                    shown.append(c).append(text.charAt(i + 1));
                }
                i++;
            } else if (!isPair && isHarmless(Character.getType(c))) {
                if (shown != null) {
                    shown.append(c);
                }
            } else {
                if (shown == null) {
                    shown = new StringBuilder(text.substring(0, i));
                }
                shown.append(String.format("\\u%04x", (int) c));
            }
        }
        return shown == null ? text : shown.toString();
    }

    private static boolean isHarmless(int type) {
        return switch (type) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.UNASSIGNED,
                    Character.PRIVATE_USE -> false;
            default -> true;
        };
    }
}
