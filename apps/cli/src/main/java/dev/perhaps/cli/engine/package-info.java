/** Where the work of a command is done, if not in this process. */
@NullMarked
package dev.perhaps.cli.engine;

import org.jspecify.annotations.NullMarked;
