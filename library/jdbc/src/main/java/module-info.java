/** A guard in front of any JDBC table. */
module dev.perhaps.jdbc {
    requires transitive dev.perhaps;
    requires transitive java.sql;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports dev.perhaps.jdbc;
}
