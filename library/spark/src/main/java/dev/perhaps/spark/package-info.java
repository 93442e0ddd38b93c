/**
 * The structures of Perhaps in Spark: put the jar on the class path of the driver, and the functions {@code perhaps_*}
 * are there in SQL. {@link dev.perhaps.spark.PerhapsFunctions} calls them from Java. docs/spark.md is the guide.
 */
@CheckReturnValue
@NullMarked
package dev.perhaps.spark;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
