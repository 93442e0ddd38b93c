package dev.perhaps.key;

/** Formats a value for an error message: shortened, and on one line. */
final class Abbreviated {
    private static final int LONGEST = 120;

    private Abbreviated() {}

    static String of(String value) {
        String start = value.length() <= LONGEST ? value : value.substring(0, LONGEST) + "…";
        StringBuilder shown = new StringBuilder(start.length());
        for (int i = 0; i < start.length(); i++) {
            char c = start.charAt(i);
            shown.append(Character.isISOControl(c) ? '?' : c);
        }
        return shown.toString();
    }
}
