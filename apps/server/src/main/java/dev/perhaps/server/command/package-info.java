/** What each command does, in tables: syntax, keys, replies and errors. */
@NullMarked
package dev.perhaps.server.command;

import org.jspecify.annotations.NullMarked;
