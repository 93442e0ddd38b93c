/** Options, files and commands that several questions share: what is read, where the result goes, and info about any sketch. */
@NullMarked
package dev.perhaps.cli.options;

import org.jspecify.annotations.NullMarked;
