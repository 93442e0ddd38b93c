/** The guard before any table that JDBC reaches. */
module dev.perhaps.jdbc {
    requires transitive dev.perhaps;
    requires transitive java.sql;
    requires static org.jspecify;

    exports dev.perhaps.jdbc;
}
