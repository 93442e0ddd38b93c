/**
 * What a build writes for an installation, taken from the commands themselves: the table of the launcher, completions for
 * shells, manual pages.
 */
@NullMarked
package dev.perhaps.cli.launch;

import org.jspecify.annotations.NullMarked;
