/**
 * Hidden: the functions as expressions of Spark's plans. Public classes are public for Spark and for the code it
 * generates.
 */
@CheckReturnValue
@NullMarked
package dev.perhaps.spark.catalyst;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
