/** Experiments on Chord: path lengths, load, failures, joins, churn and its invariant. */
@NullMarked
package dev.perhaps.lab.ring;

import org.jspecify.annotations.NullMarked;
