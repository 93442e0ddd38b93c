package dev.perhaps.cli.input;

/** The words of a line, separated by spaces and tabs. */
public final class Words {
    private Words() {}

    /**
     * Puts start and end of each of the first {@code most} words into {@code places}. Returns how many words the line has, of
     * those beyond {@code most} counting only the first.
     */
    public static int split(byte[] bytes, int from, int to, int[] places, int most) {
        int count = 0;
        int at = from;
        while (true) {
            while (at < to && isSpace(bytes[at])) {
                at++;
            }
            if (at == to) {
                return count;
            }
            if (count == most) {
                return count + 1;
            }
            places[2 * count] = at;
            while (at < to && !isSpace(bytes[at])) {
                at++;
            }
            places[2 * count + 1] = at;
            count++;
        }
    }

    static boolean isSpace(byte b) {
        return b == ' ' || b == '\t';
    }
}
