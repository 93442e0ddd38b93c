/** The command line: one command a file. Commands translate; algorithms live in the library. */
@NullMarked
package dev.perhaps.cli;

import org.jspecify.annotations.NullMarked;
