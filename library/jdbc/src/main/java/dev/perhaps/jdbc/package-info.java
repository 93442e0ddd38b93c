/** A guard in front of any JDBC table: a filter of its keys, and lookups only of keys that may be there. */
@NullMarked
package dev.perhaps.jdbc;

import org.jspecify.annotations.NullMarked;
