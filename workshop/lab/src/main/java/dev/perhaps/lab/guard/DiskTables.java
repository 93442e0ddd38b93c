package dev.perhaps.lab.guard;

import dev.perhaps.jdbc.Column;
import dev.perhaps.jdbc.JdbcTable;
import dev.perhaps.key.Hashes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/** Tables of a SQLite file, each a B-tree on disk, that count their queries and the pages read. */
final class DiskTables implements AutoCloseable {
    /*
     * SQLite keeps few pages in memory here, so that a lookup reads the leaf it needs from the file, though the system
     * may have it in memory. Where the system counts what a thread reads (Linux: /proc/thread-self/io), pages read are
     * bytes read over the size of a page; elsewhere they are not known.
     */
    private static final int PAGE_BYTES = 4_096;
    private static final int PAGES_KEPT = 100;
    private static final int MIN_PAGES_KEPT = 2;
    private static final int VALUE_CHARACTERS = 100;
    private static final Path COUNTED_READS = Path.of("/proc/thread-self/io");

    private final Path file;
    private final List<JdbcTable<Long, String>> tables = new ArrayList<>();
    private final List<JdbcTable.Session<Long, String>> sessions = new ArrayList<>();
    private long queries;

    private DiskTables(Path file, int count) {
        this.file = file;
        SQLiteDataSource source = source(file);
        source.getConfig().setCacheSize(Math.max(MIN_PAGES_KEPT, PAGES_KEPT / count));
        for (int i = 0; i < count; i++) {
            JdbcTable<Long, String> table = JdbcTable.named("t" + i)
                    .key(Column.longs("key"))
                    .row(List.of("value"), row -> row.getString(1))
                    .in(source);
            tables.add(table);
            sessions.add(table.session());
        }
    }

    private static SQLiteDataSource source(Path file) {
        SQLiteConfig config = new SQLiteConfig();
        config.setPageSize(PAGE_BYTES);
        config.setPragma(SQLiteConfig.Pragma.MMAP_SIZE, "0");
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
        return source;
    }

    /** A new file with one table for each array of keys. */
    static DiskTables of(List<long[]> keys) {
        try {
            Path file = Files.createTempFile("perhaps-lab", ".sqlite");
            file.toFile().deleteOnExit();
            fill(file, keys);
            return new DiskTables(file, keys.size());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException("SQLite: " + e.getMessage(), e);
        }
    }

    private static void fill(Path file, List<long[]> keys) throws SQLException {
        SQLiteDataSource source = source(file);
        source.getConfig().setSynchronous(SQLiteConfig.SynchronousMode.OFF);
        source.getConfig().setJournalMode(SQLiteConfig.JournalMode.OFF);
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (int table = 0; table < keys.size(); table++) {
                statement.execute("CREATE TABLE t" + table + " (key INTEGER PRIMARY KEY, value TEXT NOT NULL)");
                long[] sorted = keys.get(table).clone();
                Arrays.sort(sorted);
                try (PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO t" + table + " VALUES (?, ?)")) {
                    for (long key : sorted) {
                        insert.setLong(1, key);
                        insert.setString(2, value(key));
                        insert.executeUpdate();
                    }
                }
            }
            connection.commit();
        }
    }

    private static String value(long key) {
        String word = Long.toString(key, 36) + ' ';
        return word.repeat(VALUE_CHARACTERS / word.length() + 1).substring(0, VALUE_CHARACTERS);
    }

    Optional<String> find(int table, long key) {
        queries++;
        return sessions.get(table).find(key);
    }

    /** The hashes of all keys of a table, by a scan. */
    Hashes keys(int table) {
        return tables.get(table).keys();
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
        sessions.forEach(JdbcTable.Session::close);
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
