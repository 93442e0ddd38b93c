/** Hidden: near duplicates as a job of many tasks. */
@CheckReturnValue
@NullMarked
package dev.perhaps.spark.duplicates;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
