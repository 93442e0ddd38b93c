package dev.perhaps.jdbc;

import java.sql.SQLException;

/** Thrown when a database fails; the cause is the {@code SQLException}. */
public final class JdbcException extends RuntimeException {
    JdbcException(String what, SQLException cause) {
        super(what + ": " + cause.getMessage(), cause);
    }
}
