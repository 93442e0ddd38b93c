package dev.perhaps.cli.input;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A column of a table: by name, or by position from 1. Digits are always a position, whatever the header says; a column whose name
 * is a number is written {@code name=1} or {@code "1"}. Several are separated by commas; a name with a comma is quoted.
 *
 * @param name null if the column is named by its position
 * @param position from 1; 0 if it is named
 */
record Column(@Nullable String name, int position) {
    /** Beyond what a table has: a larger number is a mistake. */
    static final int MAX_POSITION = 16_384;

    private static final String NAMED = "name=";

    /** The columns that a user names; {@code what} is the option or format, for messages. */
    static List<Column> parse(String what, String text) {
        List<Column> columns = new ArrayList<>();
        int at = 0;
        do {
            int start = at;
            boolean named = text.startsWith(NAMED, at);
            at += named ? NAMED.length() : 0;
            if (at < text.length() && text.charAt(at) == '"') {
                StringBuilder name = new StringBuilder();
                at = unquote(what, text, at, name);
                columns.add(new Column(checked(what, name.toString()), 0));
            } else {
                int comma = text.indexOf(',', at);
                int end = comma < 0 ? text.length() : comma;
                columns.add(plain(what, text.substring(at, end), named));
                at = end;
            }
            if (at < text.length() && text.charAt(at) != ',') {
                throw new BadInput(what + ": a comma was expected after '" + text.substring(start, at) + "'");
            }
            at++;
        } while (at <= text.length());
        return columns;
    }

    /** The one column that a user names. */
    static Column one(String what, String text) {
        List<Column> columns = parse(what, text);
        if (columns.size() != 1) {
            throw new BadInput(what + " takes one column, got " + columns.size() + " in '" + text
                    + "': quote a name that has a comma, as in '\"a,b\"'");
        }
        return columns.get(0);
    }

    private static int unquote(String what, String text, int quote, StringBuilder name) {
        for (int at = quote + 1; at < text.length(); at++) {
            if (text.charAt(at) != '"') {
                name.append(text.charAt(at));
            } else if (at + 1 < text.length() && text.charAt(at + 1) == '"') {
                name.append('"');
                at++;
            } else {
                return at + 1;
            }
        }
        throw new BadInput(what + ": a quote is not closed in '" + text + "'");
    }

    private static Column plain(String what, String text, boolean named) {
        if (named || !isDigits(text)) {
            return new Column(checked(what, text), 0);
        }
        int position = text.length() > 5 ? Integer.MAX_VALUE : Integer.parseInt(text);
        if (position < 1 || position > MAX_POSITION) {
            throw new BadInput(what + ": columns are numbered from 1 to " + MAX_POSITION + ", got " + text
                    + "; for a column with this name write name=" + text);
        }
        return new Column(null, position);
    }

    private static String checked(String what, String name) {
        if (name.isEmpty()) {
            throw new BadInput(what + ": a column needs a name or a position, as in csv:email or csv:2");
        }
        if (name.chars().anyMatch(Character::isISOControl)) {
            throw new BadInput(what + ": a column's name has a control character in it: use its position");
        }
        return name;
    }

    private static boolean isDigits(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /** Returns the index of the column, from 0, in a table with this first row. */
    int indexIn(String input, List<String> first, boolean isHeader) {
        if (name == null) {
            if (position > first.size()) {
                throw new BadInput(input + ": there is no column " + position + ": its first row has " + first.size()
                        + "; for a column with this name write name=" + position);
            }
            return position - 1;
        }
        if (!isHeader) {
            throw new BadInput(input + ": without a header row there is no column named '" + name
                    + "': use its position, as in csv:2, or leave --no-header out");
        }
        int index = first.indexOf(name);
        if (index < 0) {
            throw new BadInput(
                    input + ": there is no column '" + name + "'; its header names " + String.join(", ", first));
        }
        if (index != first.lastIndexOf(name)) {
            throw new BadInput(input + ": two columns are named '" + name + "': use the position of one of them, "
                    + (index + 1) + " or " + (first.lastIndexOf(name) + 1));
        }
        return index;
    }

    /** Returns the column as a user would write it. */
    String text() {
        if (name == null) {
            return Integer.toString(position);
        }
        boolean plain = !isDigits(name) && !name.startsWith(NAMED) && name.indexOf(',') < 0 && !name.startsWith("\"");
        return plain ? name : '"' + name.replace("\"", "\"\"") + '"';
    }
}
