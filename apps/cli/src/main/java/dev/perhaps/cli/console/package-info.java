/** What a command prints: results, messages, progress, tables, JSON and exit codes. */
@NullMarked
package dev.perhaps.cli.console;

import org.jspecify.annotations.NullMarked;
