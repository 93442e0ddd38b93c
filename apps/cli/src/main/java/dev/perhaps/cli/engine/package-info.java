/** What a command asks of the engine that does its work, if this is not its own process. */
@NullMarked
package dev.perhaps.cli.engine;

import org.jspecify.annotations.NullMarked;
