/** The peers of a ring in virtual time, with every fault that a network has, from a seed. */
@NullMarked
package dev.perhaps.chord.simulation;

import org.jspecify.annotations.NullMarked;
