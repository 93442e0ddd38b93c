/**
 * What all structures have in common: they describe themselves with their size and error, are written to files, and
 * those of the same shape can be merged.
 */
@NullMarked
package dev.perhaps.sketch;

import org.jspecify.annotations.NullMarked;
