/** What commands read: files and standard input, compressed or not, and the forms in which keys stand in them. */
@NullMarked
package dev.perhaps.cli.input;

import org.jspecify.annotations.NullMarked;
