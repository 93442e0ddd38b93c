/** The guard before any table that JDBC reaches: a filter of its keys, and lookups only where they may find something. */
@NullMarked
package dev.perhaps.jdbc;

import org.jspecify.annotations.NullMarked;
