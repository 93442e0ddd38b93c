package dev.perhaps.spark;

import org.apache.spark.sql.Dataset;

/**
 * What calls that plan jobs need: a session in the process of the driver, since a client of Spark Connect has no plans
 * and no tasks, and one version of the library.
 */
final class DriverSession {
    private DriverSession() {}

    /**
     * Refuses a dataset of a client, and two versions of the library. It names no class of the driver, which a client
     * does not have.
     */
    static void require(String call, Dataset<?> rows) {
        String type = rows.getClass().getName();
        if (type.startsWith("org.apache.spark.sql.connect.")) {
            throw new IllegalArgumentException(call + " needs a session in the process of the driver, got a " + type
                    + ": from a client of Spark Connect use the functions of SQL");
        }
        String problem = LibraryVersions.problem(DriverSession.class.getClassLoader());
        if (!problem.isEmpty()) {
            throw new IllegalStateException(problem);
        }
    }
}
