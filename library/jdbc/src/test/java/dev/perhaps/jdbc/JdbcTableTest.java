package dev.perhaps.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.guard.Costs;
import dev.perhaps.guard.Guard;
import dev.perhaps.key.Key;
import dev.perhaps.membership.FuseFilter;
import dev.perhaps.membership.HashFilter;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

class JdbcTableTest {
    @TempDir
    private Path folder;

    private SQLiteDataSource source;

    @BeforeEach
    void open() {
        source = new SQLiteDataSource();
        source.setUrl("jdbc:sqlite:" + folder.resolve("test.db"));
    }

    private static void run(DataSource source, String... statements) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Test
    void findsRowsByTheirKey() throws SQLException {
        run(source, "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT)", "INSERT INTO users VALUES (7, 'Ada')");
        JdbcTable<Long, String> users = JdbcTable.named("users")
                .key(Column.longs("id"))
                .row(List.of("name"), row -> row.getString(1))
                .in(source);
        assertThat(users.find(7L)).contains("Ada");
        assertThat(users.find(8L)).isEmpty();
        assertThat(JdbcTable.named("users")
                        .schema("main")
                        .key(Column.longs("id"))
                        .itself()
                        .in(source)
                        .find(7L))
                .contains(7L);
        assertThat(users).hasToString("table users by id");
        run(source, "INSERT INTO users VALUES (9, NULL)");
        assertThatThrownBy(() -> users.find(9L)).hasMessage("the row of 9 in table users was read as null");
    }

    /** A name with quotes, blanks and a statement inside is still a name. */
    @Test
    void takesAnyNameForAName() throws SQLException {
        String name = "a \"table\"; DROP TABLE victim; --";
        String quoted = '"' + name.replace("\"", "\"\"") + '"';
        run(
                source,
                "CREATE TABLE victim (x)",
                "CREATE TABLE " + quoted + " (\"the \"\"key\" TEXT)",
                "INSERT INTO " + quoted + " VALUES ('found')");
        JdbcTable<String, String> table =
                JdbcTable.named(name).key(Column.strings("the \"key")).itself().in(source);
        assertThat(table.find("found")).contains("found");
        assertThat(table.find("' OR 1 = 1 --")).isEmpty();
        assertThat(table.keys().count()).isEqualTo(1);
        run(source, "INSERT INTO victim VALUES (1)");
    }

    @Test
    void readsAllKeysButNull() throws SQLException {
        run(
                source,
                "CREATE TABLE t (k TEXT)",
                "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) "
                        + "SELECT 'key ' || i FROM n",
                "INSERT INTO t VALUES (NULL)");
        JdbcTable<String, String> table =
                JdbcTable.named("t").key(Column.strings("k")).itself().in(source);
        assertThat(table.keys().count()).isEqualTo(9_000);
        HashFilter<String> filter =
                FuseFilter.expecting(9_000).of(Key.strings()).buildFrom(table.keys());
        for (int i = 1; i <= 9_000; i++) {
            assertThat(filter.mightContain("key " + i)).isTrue();
        }
    }

    @Test
    void saysWhichTableFailed() {
        JdbcTable<String, String> missing =
                JdbcTable.named("missing").key(Column.strings("k")).itself().in(source);
        assertThatThrownBy(() -> missing.find("x"))
                .isInstanceOf(JdbcException.class)
                .hasMessageContaining("table missing cannot be looked up")
                .hasCauseInstanceOf(SQLException.class);
        assertThatThrownBy(missing::keys).hasMessageContaining("the keys of table missing cannot be read");
        assertThatThrownBy(() -> JdbcTable.named("t").key(Column.strings("k")).row(List.of(), row -> 1))
                .hasMessageContaining("got none");
    }

    @Test
    void guardsATableThatGrows() throws SQLException {
        run(source, "CREATE TABLE t (k TEXT PRIMARY KEY)", "INSERT INTO t VALUES ('old')");
        JdbcTable<String, String> table =
                JdbcTable.named("t").key(Column.strings("k")).itself().in(source);
        GuardedTable<String, String> guarded = GuardedTable.of(
                table,
                Writers.onlyThisProgram(),
                0.01,
                Guard.plan().costs(Costs.lookup(1).filter(0.001)),
                key -> "all");
        assertThat(guarded.get("old")).contains("old");
        assertThat(guarded.get("new")).isEmpty();
        try (GuardedTable.Insertion row = guarded.inserting("new")) {
            run(source, "INSERT INTO t VALUES ('new')");
        }
        assertThat(guarded.get("new")).contains("new");
        run(source, "INSERT INTO t VALUES ('behind its back')");
        guarded.refresh();
        assertThat(guarded.get("behind its back")).contains("behind its back");
        assertThat(guarded.overfilled()).isFalse();
        assertThat(guarded.report().asked()).isEqualTo(4);
    }

    /** Keys that come while the table is scanned are in the new filter, too. */
    @Test
    void losesNoKeyThatComesDuringARefresh() throws Exception {
        run(source, "CREATE TABLE t (k TEXT PRIMARY KEY)", "INSERT INTO t VALUES ('first')");
        // The first scan builds the filter; during the second a key comes, and its row only after the scan.
        int[] scans = {0};
        AtomicBoolean came = new AtomicBoolean();
        List<GuardedTable<String, Integer>> guarded = new ArrayList<>();
        Column<String> key = Column.of(
                "k",
                Key.strings(),
                (row, at) -> {
                    if (++scans[0] == 2) {
                        guarded.get(0).added("late");
                        came.set(true);
                    }
                    return row.getString(at);
                },
                PreparedStatement::setString);
        JdbcTable<String, Integer> table =
                JdbcTable.named("t").key(key).row(List.of("k"), row -> 1).in(source);
        GuardedTable<String, Integer> one = GuardedTable.of(
                table,
                Writers.onlyThisProgram(),
                0.01,
                Guard.plan().costs(Costs.lookup(1).filter(0.001)),
                k -> "all");
        guarded.add(one);
        one.refresh();
        assertThat(came).isTrue();
        run(source, "INSERT INTO t VALUES ('late')");
        assertThat(one.get("late")).contains(1);
    }

    /** 'slow' was in neither the scan, which sees committed rows only, nor the list of keys that came during the scan. */
    @Test
    void losesNoKeyWhoseRowIsBeingInsertedDuringARefresh() throws SQLException {
        run(source, "CREATE TABLE t (k TEXT PRIMARY KEY)", "INSERT INTO t VALUES ('old')");
        JdbcTable<String, String> table =
                JdbcTable.named("t").key(Column.strings("k")).itself().in(source);
        Guard.Plan plan = Guard.plan().costs(Costs.lookup(1).filter(0.001));
        GuardedTable<String, String> guarded =
                GuardedTable.of(table, Writers.onlyThisProgram(), 1e-6, plan, key -> "all");
        try (GuardedTable.Insertion slow = guarded.inserting("slow");
                GuardedTable.Insertion twice = guarded.inserting("slow")) {
            twice.close();
            twice.close();
            guarded.refresh();
            run(source, "INSERT INTO t VALUES ('slow')");
            assertThat(guarded.get("slow")).contains("slow");
        }
        guarded.refresh();
        assertThat(guarded.get("slow")).contains("slow");
        guarded.inserting("rolled back").close();
        guarded.refresh();
        assertThat(guarded.get("rolled back")).isEmpty();
        assertThat(guarded.report().avoided()).isEqualTo(1);
    }

    /** Of one key in two spellings, the filter knew the stored one only, and the row was not found by the other. */
    @Test
    void findsKeysThatTheDatabaseTakesForEqualIfTheColumnHashesThemAlike() throws SQLException {
        run(source, "CREATE TABLE t (k TEXT COLLATE NOCASE PRIMARY KEY)", "INSERT INTO t VALUES ('Ada')");
        Column<String> ignoringCase = Column.of(
                "k",
                Key.strings().on("lower", (String s) -> s.toLowerCase(Locale.ROOT)),
                ResultSet::getString,
                PreparedStatement::setString);
        JdbcTable<String, String> table =
                JdbcTable.named("t").key(ignoringCase).itself().in(source);
        Guard.Plan plan = Guard.plan().costs(Costs.lookup(1).filter(0.001));
        GuardedTable<String, String> guarded =
                GuardedTable.of(table, Writers.onlyThisProgram(), 1e-6, plan, key -> "all");
        assertThat(guarded.get("aDA")).contains("Ada");
        assertThat(guarded.get("Bob")).isEmpty();
    }

    /** The scan ended with a rollback, and took with it what the caller had written in the transaction. */
    @Test
    void leavesATransactionOfTheCallerAsItIs() throws SQLException {
        run(source, "CREATE TABLE t (k TEXT PRIMARY KEY)", "INSERT INTO t VALUES ('old')");
        try (Connection transaction = source.getConnection();
                Statement statement = transaction.createStatement()) {
            transaction.setAutoCommit(false);
            statement.execute("INSERT INTO t VALUES ('mine')");
            JdbcTable<String, String> table =
                    JdbcTable.named("t").key(Column.strings("k")).itself().in(givingOut(transaction));
            assertThat(table.keys().count()).isEqualTo(2);
            assertThat(transaction.getAutoCommit()).isFalse();
            transaction.commit();
        }
        JdbcTable<String, String> table =
                JdbcTable.named("t").key(Column.strings("k")).itself().in(source);
        assertThat(table.find("mine")).contains("mine");
        assertThat(table.keys().count()).isEqualTo(2);
    }

    /** A data source that knows transactions: it gives out the connection of the current one, and closing does not end it. */
    private static DataSource givingOut(Connection transaction) {
        ClassLoader loader = JdbcTableTest.class.getClassLoader();
        Object shared = Proxy.newProxyInstance(
                loader,
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) ->
                        method.getName().equals("close") ? null : method.invoke(transaction, arguments));
        return (DataSource)
                Proxy.newProxyInstance(loader, new Class<?>[] {DataSource.class}, (p, m, arguments) -> shared);
    }

    /** It was refused when all keys had been read. */
    @Test
    void refusesAnImpossibleErrorBeforeItReadsTheTable() {
        JdbcTable<String, String> missing =
                JdbcTable.named("missing").key(Column.strings("k")).itself().in(source);
        assertThatThrownBy(() -> GuardedTable.of(missing, Writers.onlyThisProgram(), 1, Guard.plan(), key -> "all"))
                .hasMessage("falsePositives must be in (0, 1), got 1.0");
    }

    /** Without an age, 'theirs' was never found: the filter had never heard of it. */
    @Test
    void findsRowsThatOthersWroteAtTheLatestWhenTheyAreAsOldAsAllowed() throws SQLException {
        run(source, "CREATE TABLE t (k TEXT PRIMARY KEY)", "INSERT INTO t VALUES ('old')");
        JdbcTable<String, String> table =
                JdbcTable.named("t").key(Column.strings("k")).itself().in(source);
        long minute = Duration.ofMinutes(1).toNanos();
        long[] now = {Long.MAX_VALUE - minute};
        Guard.Plan plan = Guard.plan().costs(Costs.lookup(1).filter(0.001));
        GuardedTable<String, String> guarded = new GuardedTable<>(
                table, Writers.others(Duration.ofMinutes(1)), 1e-6, plan, key -> "all", () -> now[0]);
        run(source, "INSERT INTO t VALUES ('theirs')");
        assertThat(guarded.outdated()).isFalse();
        assertThat(guarded.get("theirs")).isEmpty();
        now[0] += minute;
        assertThat(guarded.outdated()).isTrue();
        assertThat(guarded.get("theirs")).contains("theirs");
        guarded.refresh();
        assertThat(guarded.outdated()).isFalse();
        assertThat(guarded.get("theirs")).contains("theirs");
        assertThat(guarded.get("nobody")).isEmpty();
        assertThat(guarded.report().avoided()).isPositive();
    }

    @Test
    @SuppressWarnings("NullAway") // a caller without the check may pass it
    void wantsToKnowWhoWrites() throws SQLException {
        run(source, "CREATE TABLE t (k TEXT PRIMARY KEY)");
        JdbcTable<String, String> table =
                JdbcTable.named("t").key(Column.strings("k")).itself().in(source);
        assertThatThrownBy(() -> GuardedTable.of(table, null, 0.01, Guard.plan(), key -> "all"))
                .hasMessage("writers must not be null");
        assertThatThrownBy(() -> Writers.others(Duration.ZERO))
                .hasMessage("visibleWithin must be more than 0 and at most 365 days, got PT0S");
    }
}
