/** Rings in primitive arrays, to measure paths, loads and churn with up to millions of members. Not what peers run. */
@NullMarked
package dev.perhaps.chord.model;

import org.jspecify.annotations.NullMarked;
