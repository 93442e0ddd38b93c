/** What outlasts the process: a data directory with a log of commands and snapshots of all keys. */
@NullMarked
package dev.perhaps.server.durable;

import org.jspecify.annotations.NullMarked;
