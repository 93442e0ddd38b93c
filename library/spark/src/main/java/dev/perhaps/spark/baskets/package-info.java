/** Hidden: correlated items as a job of many tasks. */
@CheckReturnValue
@NullMarked
package dev.perhaps.spark.baskets;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
