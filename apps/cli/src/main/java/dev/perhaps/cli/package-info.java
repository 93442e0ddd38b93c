/** The command line: one command per file. Commands translate; algorithms live in the library. */
@NullMarked
package dev.perhaps.cli;

import org.jspecify.annotations.NullMarked;
