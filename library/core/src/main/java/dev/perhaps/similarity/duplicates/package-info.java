/**
 * Which documents are near duplicates of each other? Every edge has an exact similarity of at least the threshold; an
 * edge at the threshold is missed with a small, planned probability. In groups of more than 64 similar documents not
 * every pair is compared, and nearly all of them still end in the clusters that all edges would give. One document of
 * each cluster is kept.
 */
@CheckReturnValue
@NullMarked
package dev.perhaps.similarity.duplicates;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
