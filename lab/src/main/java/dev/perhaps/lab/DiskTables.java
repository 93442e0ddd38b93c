package dev.perhaps.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Tables of a SQLite file, each a B-tree on disk, that count how often they are asked and what is read for it. */
final class DiskTables implements AutoCloseable {
    /*
     * SQLite keeps few pages in memory here, so that a lookup reads the leaf it needs from the file, though the system may
     * have it in memory. Where the system counts what a thread reads (Linux: /proc/thread-self/io), pages read are bytes
     * read over the size of a page; elsewhere they are not known.
     */
    private static final int PAGE_BYTES = 4_096;
    private static final int PAGES_KEPT = 100;
    private static final int VALUE_CHARACTERS = 100;
    private static final Path COUNTED_READS = Path.of("/proc/thread-self/io");

    private final Path file;
    private final Connection connection;
    private final List<PreparedStatement> lookups = new ArrayList<>();
    private long queries;

    private DiskTables(Path file) throws SQLException {
        this.file = file;
        this.connection = DriverManager.getConnection("jdbc:sqlite:" + file);
    }

    /** A new file with one table for each array of keys. */
    static DiskTables of(List<long[]> keys) {
        try {
            Path file = Files.createTempFile("perhaps-lab", ".sqlite");
            file.toFile().deleteOnExit();
            DiskTables tables = new DiskTables(file);
            tables.fill(keys);
            return tables;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException("SQLite: " + e.getMessage(), e);
        }
    }

    private void fill(List<long[]> keys) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA page_size = " + PAGE_BYTES);
            statement.execute("PRAGMA journal_mode = OFF");
            statement.execute("PRAGMA synchronous = OFF");
            for (int table = 0; table < keys.size(); table++) {
                statement.execute("CREATE TABLE t" + table + " (key INTEGER PRIMARY KEY, value TEXT NOT NULL)");
            }
        }
        connection.setAutoCommit(false);
        for (int table = 0; table < keys.size(); table++) {
            long[] sorted = keys.get(table).clone();
            Arrays.sort(sorted);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO t" + table + " VALUES (?, ?)")) {
                for (long key : sorted) {
                    insert.setLong(1, key);
                    insert.setString(2, value(key));
                    insert.executeUpdate();
                }
            }
            lookups.add(connection.prepareStatement("SELECT value FROM t" + table + " WHERE key = ?"));
        }
        connection.commit();
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA mmap_size = 0");
            statement.execute("PRAGMA cache_size = " + PAGES_KEPT);
        }
    }

    private static String value(long key) {
        String word = Long.toString(key, 36) + ' ';
        return word.repeat(VALUE_CHARACTERS / word.length() + 1).substring(0, VALUE_CHARACTERS);
    }

    Optional<String> find(int table, long key) {
        queries++;
        try {
            PreparedStatement lookup = lookups.get(table);
            lookup.setLong(1, key);
            try (ResultSet row = lookup.executeQuery()) {
                return row.next() ? Optional.of(row.getString(1)) : Optional.empty();
            }
        } catch (SQLException e) {
            throw new IllegalStateException("SQLite: " + e.getMessage(), e);
        }
    }

    /** How often any table was asked. */
    long queries() {
        return queries;
    }

    /** Pages that this thread has read until now; NaN where the system does not count. */
    static double pagesRead() {
        try {
            for (String line : Files.readAllLines(COUNTED_READS)) {
                if (line.startsWith("rchar: ")) {
                    return Long.parseLong(line.substring("rchar: ".length())) / (double) PAGE_BYTES;
                }
            }
        } catch (IOException unknown) {
            return Double.NaN;
        }
        return Double.NaN;
    }

    @Override
    public void close() {
        try {
            for (PreparedStatement lookup : lookups) {
                lookup.close();
            }
            connection.close();
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException("SQLite: " + e.getMessage(), e);
        }
    }
}
