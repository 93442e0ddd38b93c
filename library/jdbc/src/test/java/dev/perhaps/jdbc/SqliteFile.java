package dev.perhaps.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/** A SQLite file for tests: a dictionary of words on disk, read through a cache of a few pages. */
final class SqliteFile {
    static final int PAGE_BYTES = 4_096;

    private SqliteFile() {}

    /** A file that is read page by page: no memory map, ten pages of cache, no second look at the file for changes. */
    static DataSource at(Path file) {
        SQLiteConfig config = new SQLiteConfig();
        config.setPageSize(PAGE_BYTES);
        config.setCacheSize(10);
        config.setLockingMode(SQLiteConfig.LockingMode.EXCLUSIVE);
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
        return source;
    }

    /** Words {@code word 0}, {@code word 2}, {@code word 4} … in a B-tree: the odd ones would stand between them. */
    static void fill(DataSource source, int words) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE dictionary (word TEXT PRIMARY KEY, meaning TEXT) WITHOUT ROWID");
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO dictionary VALUES (?, ?)")) {
                for (int i = 0; i < words; i++) {
                    insert.setString(1, "word " + 2 * i);
                    insert.setString(2, "what word " + 2 * i + " means");
                    insert.addBatch();
                    if (i % 10_000 == 9_999) {
                        insert.executeBatch();
                    }
                }
                insert.executeBatch();
            }
            connection.commit();
        }
    }

    static JdbcTable<String, String> dictionary(DataSource source) {
        return JdbcTable.named("dictionary")
                .key(Column.strings("word"))
                .row(List.of("meaning"), row -> row.getString(1))
                .in(source);
    }
}
