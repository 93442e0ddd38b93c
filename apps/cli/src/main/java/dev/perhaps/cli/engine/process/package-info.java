/** Runs a command in a process of Spark: the options that ask for it, Spark itself, and the process. */
@NullMarked
package dev.perhaps.cli.engine.process;

import org.jspecify.annotations.NullMarked;
