package dev.perhaps.jdbc;

import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A table with lookups by one column: {@link #find} runs one query with a prepared statement, {@link #keys} reads the
 * hashes of all keys in one scan, 8 bytes each. Needs only {@code java.sql}. Immutable, and as thread-safe as its
 * {@link DataSource}: every call takes a connection from it and returns it, so it should be a pool; without a pool,
 * {@link #session} keeps one connection.
 *
 * <p>{@code JdbcTable.named("users").key(Column.strings("name")).row(List.of("email"), row -> row.getString(1)).in(source)}
 *
 * <p>{@link GuardedTable} puts a guard in front of it.
 */
public final class JdbcTable<K, V> {
    private static final int FETCH_ROWS = 10_000;

    private final DataSource source;
    private final @Nullable String schema;
    private final String name;
    private final Column<K> column;
    private final List<String> columns;
    private final Row<V> row;

    /** Converts a row to a value; its columns are the requested ones, counted from 1. */
    @FunctionalInterface
    public interface Row<V> {
        /** Returns the value of the current row; it must not be null. */
        V read(ResultSet row) throws SQLException;
    }

    private JdbcTable(
            DataSource source,
            @Nullable String schema,
            String name,
            Column<K> column,
            List<String> columns,
            Row<V> row) {
        this.source = Objects.requireNonNull(source, "source");
        this.schema = schema;
        this.name = name;
        this.column = column;
        this.columns = columns;
        this.row = row;
    }

    /** Starts with the name of a table exactly as the database stores it: it is quoted, so case matters. */
    public static Named named(String table) {
        return new Named(null, Objects.requireNonNull(table, "table"));
    }

    /** Returns the key that hashes the keys of the table. */
    public Key<K> key() {
        return column.key();
    }

    /** Returns the first row with this key, by one query; nothing if there is none. */
    public Optional<V> find(K key) {
        try (Session<K, V> once = session()) {
            return once.find(key);
        }
    }

    /** Opens a session: one connection and one prepared statement, until it is closed. Not thread-safe. */
    public Session<K, V> session() {
        try {
            Connection connection = source.getConnection();
            try {
                Identifiers names = Identifiers.of(connection);
                List<String> quoted = columns.stream().map(names::quoted).toList();
                PreparedStatement statement = connection.prepareStatement("SELECT " + String.join(", ", quoted)
                        + " FROM " + table(names) + " WHERE " + names.quoted(column.name()) + " = ?");
                // One row is enough, and a database that knows this may stop there.
                statement.setMaxRows(1);
                return new Session<>(this, connection, statement);
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw new JdbcException("table " + name + " cannot be looked up", e);
        }
    }

    /** {@link JdbcTable#find} over one connection. Not thread-safe. */
    public static final class Session<K, V> implements AutoCloseable {
        private final JdbcTable<K, V> table;
        private final Connection connection;
        private final PreparedStatement statement;

        private Session(JdbcTable<K, V> table, Connection connection, PreparedStatement statement) {
            this.table = table;
            this.connection = connection;
            this.statement = statement;
        }

        /**
         * Returns the value of a key, or nothing if the table has no such row.
         *
         * @throws JdbcException if the database fails
         */
        public Optional<V> find(K key) {
            try {
                table.column.bind(statement, 1, key);
                try (ResultSet rows = statement.executeQuery()) {
                    if (!rows.next()) {
                        return Optional.empty();
                    }
                    return Optional.of(Objects.requireNonNull(
                            table.row.read(rows),
                            () -> "the row of " + key + " in table " + table.name + " was read as null"));
                }
            } catch (SQLException e) {
                throw new JdbcException("looking up " + key + " in table " + table.name + " failed", e);
            }
        }

        @Override
        public void close() {
            try (Connection closing = connection) {
                statement.close();
            } catch (SQLException e) {
                throw new JdbcException("a connection to table " + table.name + " cannot be closed", e);
            }
        }
    }

    /**
     * Reads the hashes of all keys by one scan of the key column in one transaction; NULL is not a key. If the data
     * source gives out a connection that is in a transaction, the scan is a part of it and does not end it.
     */
    public Hashes keys() {
        try (Connection connection = source.getConnection()) {
            // PostgreSQL hands out rows in portions only inside a transaction; otherwise it would send them all at
            // once. A transaction that is there already is the caller's, who may have written in it: it goes on.
            if (!connection.getAutoCommit()) {
                return scan(connection);
            }
            connection.setAutoCommit(false);
            try {
                return scan(connection);
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw new JdbcException("the keys of table " + name + " cannot be read", e);
        }
    }

    private Hashes scan(Connection connection) throws SQLException {
        Identifiers names = Identifiers.of(connection);
        long[] hashes = new long[1 << 12];
        int count = 0;
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT " + names.quoted(column.name()) + " FROM " + table(names))) {
            statement.setFetchSize(FETCH_ROWS);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    K value = column.read(rows, 1);
                    if (rows.wasNull()) {
                        continue;
                    }
                    if (count == hashes.length) {
                        hashes = Arrays.copyOf(hashes, grown(count));
                    }
                    hashes[count++] = column.key().hash(value);
                }
            }
        }
        return Hashes.of(Arrays.copyOf(hashes, count));
    }

    private int grown(int count) {
        if (count >= Integer.MAX_VALUE - 8) {
            throw new IllegalStateException("table " + name + " has more than " + count + " keys: split it");
        }
        return (int) Math.min(Integer.MAX_VALUE - 8, count * 2L);
    }

    private String table(Identifiers names) {
        return schema == null ? names.quoted(name) : names.quoted(schema) + "." + names.quoted(name);
    }

    @Override
    public String toString() {
        return "table " + (schema == null ? "" : schema + ".") + name + " by " + column.name();
    }

    /** A table whose key column is not given yet. */
    public static final class Named {
        private final @Nullable String schema;
        private final String table;

        private Named(@Nullable String schema, String table) {
            this.schema = schema;
            this.table = table;
        }

        /** Sets the schema (default: the one that the database uses). */
        public Named schema(String ofTable) {
            return new Named(Objects.requireNonNull(ofTable, "schema"), table);
        }

        /** Sets the column for lookups; it should have an index. */
        public <K> Keyed<K> key(Column<K> column) {
            return new Keyed<>(this, Objects.requireNonNull(column, "column"));
        }
    }

    /** A table with a key column whose values are not given yet. */
    public static final class Keyed<K> {
        private final Named named;
        private final Column<K> column;

        private Keyed(Named named, Column<K> column) {
            this.named = named;
            this.column = column;
        }

        /** Sets the columns to read and how they become a value, which must not be null. */
        public <V> Whole<K, V> row(List<String> columns, Row<V> reader) {
            if (columns.isEmpty()) {
                throw new IllegalArgumentException("columns must be at least one, got none");
            }
            return new Whole<>(this, List.copyOf(columns), Objects.requireNonNull(reader, "reader"));
        }

        /** Reads no other columns: the value of a row is its key. */
        public Whole<K, K> itself() {
            return row(List.of(column.name()), found -> column.read(found, 1));
        }
    }

    /** A complete table whose data source is not given yet. */
    public static final class Whole<K, V> {
        private final Keyed<K> keyed;
        private final List<String> columns;
        private final Row<V> row;

        private Whole(Keyed<K> keyed, List<String> columns, Row<V> row) {
            this.keyed = keyed;
            this.columns = columns;
            this.row = row;
        }

        /** Returns the table as this data source has it; no connection is opened yet. */
        public JdbcTable<K, V> in(DataSource source) {
            return new JdbcTable<>(source, keyed.named.schema, keyed.named.table, keyed.column, columns, row);
        }
    }
}
