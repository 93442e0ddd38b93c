/**
 * Internal: candidate pairs from bands, and their exact comparison; what near duplicates, the index and correlated
 * items share.
 */
@NullMarked
package dev.perhaps.similarity.search;

import org.jspecify.annotations.NullMarked;
