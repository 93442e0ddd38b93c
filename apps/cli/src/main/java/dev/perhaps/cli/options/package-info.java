/** Options, files and commands that all questions share: inputs, outputs, and info about any sketch. */
@NullMarked
package dev.perhaps.cli.options;

import org.jspecify.annotations.NullMarked;
