/** The input of commands: files and standard input, compressed or not, and the formats of keys. */
@NullMarked
package dev.perhaps.cli.input;

import org.jspecify.annotations.NullMarked;
