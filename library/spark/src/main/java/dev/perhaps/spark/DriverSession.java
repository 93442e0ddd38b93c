package dev.perhaps.spark;

import org.apache.spark.sql.Dataset;

/**
 * Tells sessions in the process of the driver from those of a client of Spark Connect, which has no plans and no
 * tasks.
 */
final class DriverSession {
    private DriverSession() {}

    /** Refuses a dataset of a client. It names no class of the driver, which a client does not have. */
    static void require(String call, Dataset<?> rows) {
        String type = rows.getClass().getName();
        if (type.startsWith("org.apache.spark.sql.connect.")) {
            throw new IllegalArgumentException(call + " needs a session in the process of the driver, got a " + type
                    + ": from a client of Spark Connect use the functions of SQL");
        }
    }
}
