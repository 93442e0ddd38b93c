package dev.perhaps.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.Pattern;

/**
 * Quotes names of tables and columns for SQL as the database requires, so that a name can never be more than a name.
 */
final class Identifiers {
    /*
     * A name cannot be a bound parameter, so it is quoted: between the database's own quotes, each such quote inside it
     * doubled. That leaves nothing that ends the name. A database that has no quotes gets plain words only.
     */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private final String quote;

    private Identifiers(String quote) {
        this.quote = quote;
    }

    static Identifiers of(Connection connection) throws SQLException {
        String quote = connection.getMetaData().getIdentifierQuoteString();
        return new Identifiers(quote == null ? "" : quote.strip());
    }

    /** For a quote that is known, for tests. */
    static Identifiers with(String quote) {
        return new Identifiers(quote.strip());
    }

    String quoted(String name) {
        if (name.isEmpty() || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "a table or column has a name without a zero character, got '" + name.replace("\0", "\\0") + "'");
        }
        if (!quote.isEmpty()) {
            return quote + name.replace(quote, quote + quote) + quote;
        }
        if (!PLAIN.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "this database cannot quote names, and '" + name + "' is more than letters, digits and _");
        }
        return name;
    }
}
