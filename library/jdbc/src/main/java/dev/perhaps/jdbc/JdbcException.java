package dev.perhaps.jdbc;

import java.sql.SQLException;

/** A database did not do what it was asked; the cause says why. */
public final class JdbcException extends RuntimeException {
    JdbcException(String what, SQLException cause) {
        super(what + ": " + cause.getMessage(), cause);
    }
}
