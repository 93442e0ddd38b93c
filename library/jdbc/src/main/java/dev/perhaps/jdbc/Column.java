package dev.perhaps.jdbc;

import dev.perhaps.key.Key;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.UUID;

/**
 * The column that holds a table's keys: its name as the database keeps it, how its values are hashed, and how they are
 * read and bound. {@code Column.strings("email")}. Immutable.
 */
public final class Column<K> {
    private final String name;
    private final Key<K> key;
    private final Reader<K> reader;
    private final Binder<K> binder;

    /** Reads the value in column {@code at} of a row; what it returns for NULL is not used. */
    @FunctionalInterface
    public interface Reader<K> {
        /** Returns the value of column {@code at}, counted from 1, of the current row. */
        K read(ResultSet row, int at) throws SQLException;
    }

    /** Binds a value to parameter {@code at}. */
    @FunctionalInterface
    public interface Binder<K> {
        /** Sets parameter {@code at}, counted from 1, of a statement. */
        void bind(PreparedStatement statement, int at, K value) throws SQLException;
    }

    private Column(String name, Key<K> key, Reader<K> reader, Binder<K> binder) {
        this.name = Objects.requireNonNull(name, "name");
        this.key = Objects.requireNonNull(key, "key");
        this.reader = Objects.requireNonNull(reader, "reader");
        this.binder = Objects.requireNonNull(binder, "binder");
    }

    /**
     * Returns a column of text, which is compared as the database compares it and hashed by its UTF-8 bytes. These must
     * agree: in a column that ignores case, accents or spaces at the end (a collation as MySQL and SQL Server have by
     * default, {@code CITEXT}, {@code COLLATE NOCASE}, {@code CHAR(n)}), a {@link GuardedTable} misses rows whose key is
     * written in another way. Hash what equal keys have in common there, with {@link #of}: {@code Column.of("name",
     * Key.strings().on("lower", s -> s.toLowerCase(Locale.ROOT)), ResultSet::getString, PreparedStatement::setString)}.
     */
    public static Column<String> strings(String name) {
        return of(name, Key.strings(), ResultSet::getString, PreparedStatement::setString);
    }

    /** Returns a column of integers of up to 64 bits. */
    public static Column<Long> longs(String name) {
        return of(name, Key.longs(), ResultSet::getLong, PreparedStatement::setLong);
    }

    /** Returns a column of binary values. */
    public static Column<byte[]> bytes(String name) {
        return of(name, Key.bytes(), ResultSet::getBytes, PreparedStatement::setBytes);
    }

    /** Returns a column of UUIDs, for a database that has a type for them. */
    public static Column<UUID> uuids(String name) {
        return of(name, Key.uuids(), (row, at) -> row.getObject(at, UUID.class), PreparedStatement::setObject);
    }

    /** Returns a column of any other type. */
    public static <K> Column<K> of(String name, Key<K> key, Reader<K> reader, Binder<K> binder) {
        return new Column<>(name, key, reader, binder);
    }

    String name() {
        return name;
    }

    Key<K> key() {
        return key;
    }

    K read(ResultSet row, int at) throws SQLException {
        return reader.read(row, at);
    }

    void bind(PreparedStatement statement, int at, K value) throws SQLException {
        binder.bind(statement, at, value);
    }
}
