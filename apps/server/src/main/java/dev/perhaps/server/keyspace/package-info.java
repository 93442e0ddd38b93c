/** The keys and their values: stripes of tables, each under its own lock. */
@NullMarked
package dev.perhaps.server.keyspace;

import org.jspecify.annotations.NullMarked;
