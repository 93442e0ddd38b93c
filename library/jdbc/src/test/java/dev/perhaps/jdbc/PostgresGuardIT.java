package dev.perhaps.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.guard.Guard;
import dev.perhaps.guard.GuardReport;
import dev.perhaps.membership.BloomFilter;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The guard before a table of a server. Queries are counted by the server: how often it went into the table's index. */
@SuppressWarnings("CheckReturnValue") // what queries cost is counted, not what they return
class PostgresGuardIT {
    private static final int USERS = 50_000;
    private static final int LOOKUPS = 10_000;
    private static final long TIMEOUT_NANOS = 120_000_000_000L;

    private static EmbeddedPostgres server;
    private static DataSource source;

    @BeforeAll
    static void start() throws IOException, SQLException {
        server = EmbeddedPostgres.builder().start();
        source = server.getPostgresDatabase();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA shop");
            statement.execute("CREATE TABLE shop.\"Users\" (id bigint PRIMARY KEY, name text)");
            statement.execute("INSERT INTO shop.\"Users\" SELECT 2 * i, 'user ' || i FROM generate_series(0, "
                    + (USERS - 1) + ") AS i");
            statement.execute("CREATE TABLE shop.marker (id bigint)");
            statement.execute("VACUUM ANALYZE shop.\"Users\"");
        }
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    private static JdbcTable<Long, String> users() {
        return JdbcTable.named("Users")
                .schema("shop")
                .key(Column.longs("id"))
                .row(List.of("name"), row -> row.getString(1))
                .in(source);
    }

    /**
     * Scans of the table, by index or whole, once the server has told all of them. A connection tells its scans when it ends,
     * and the server takes what it is told in order: when all others have ended and a later scan of another table was told,
     * theirs were.
     */
    private static long scans() throws SQLException {
        await(
                "SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()");
        long before = number("SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'marker'");
        number("SELECT count(*) FROM shop.marker");
        await("SELECT seq_scan > " + before + " FROM pg_stat_user_tables WHERE relname = 'marker'");
        return number("SELECT idx_scan + seq_scan FROM pg_stat_user_tables WHERE relname = 'Users'");
    }

    private static void await(String condition) throws SQLException {
        long start = System.nanoTime();
        while (number("SELECT (" + condition + ")::int") == 0) {
            assertThat(System.nanoTime() - start).as(condition).isLessThan(TIMEOUT_NANOS);
        }
    }

    /** The number that a query returns, on a connection of its own. */
    private static long number(String query) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Users have even numbers. */
    static Stream<Phases> phases() {
        return Stream.of(Phases.of(0.05), Phases.of(0.5), Phases.of(0.02, 0.98, 0.4, 0.05));
    }

    @ParameterizedTest
    @MethodSource("phases")
    void avoidsTheQueriesItReports(Phases phases) throws Exception {
        int[] numbers = phases.numbers(LOOKUPS, USERS, 13);
        BloomFilter<Long> filter =
                BloomFilter.expecting(USERS).of(users().key()).build();
        users().keys().replay(filter::addHashes);
        long atFirst = scans();
        long nanosWithout = System.nanoTime();
        try (JdbcTable.Session<Long, String> table = users().session()) {
            for (int number : numbers) {
                table.find((long) number);
            }
        }
        nanosWithout = System.nanoTime() - nanosWithout;
        long without = scans() - atFirst;
        GuardReport report;
        long nanosWith = System.nanoTime();
        try (JdbcTable.Session<Long, String> table = users().session()) {
            Guard<Long, String> guard = Guard.store(filter, table::find, number -> number % 4);
            for (int number : numbers) {
                assertThat(guard.get((long) number).isPresent()).isEqualTo(number % 2 == 0);
            }
            report = guard.report();
        }
        nanosWith = System.nanoTime() - nanosWith;
        long with = scans() - atFirst - without;
        System.out.printf(
                "postgresql, %s: %,d queries in %,d ms without, %,d in %,d ms with the guard; "
                        + "reported %,d queries saved%n%s",
                phases, without, nanosWithout / 1_000_000, with, nanosWith / 1_000_000, report.avoided(), report);
        assertThat(without).isEqualTo(LOOKUPS);
        long avoided = without - with;
        assertThat(avoided).isGreaterThan((long) (0.95 * LOOKUPS * phases.absent()));
        assertThat((double) report.avoided()).isCloseTo(avoided, within(0.1 * avoided));
    }

    @Test
    void guardsATableWithAPoolBeforeIt() throws Exception {
        GuardedTable<Long, String> guarded =
                GuardedTable.of(users(), Writers.onlyThisProgram(), 0.01, Guard.plan(), number -> "all");
        for (long number = 0; number < 300; number++) {
            assertThat(guarded.get(number).isPresent()).isEqualTo(number % 2 == 0);
        }
        try (GuardedTable.Insertion row = guarded.inserting(1_000_001L);
                Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("INSERT INTO shop.\"Users\" VALUES (1000001, 'new')");
            guarded.refresh(); // its scan does not see the row
            connection.commit();
            connection.setAutoCommit(true);
        }
        assertThat(guarded.get(1_000_001L)).contains("new");
        guarded.refresh();
        assertThat(guarded.get(1_000_001L)).contains("new");
        assertThat(guarded.report().avoided()).isBetween(130L, 150L);
    }
}
