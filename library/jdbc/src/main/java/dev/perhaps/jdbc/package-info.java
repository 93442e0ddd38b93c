/** A guard in front of any JDBC table: a filter of its keys, and lookups only of keys that may be there. */
@CheckReturnValue
@NullMarked
package dev.perhaps.jdbc;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
