/** Which documents are near duplicates of each other? Exact edges, clusters, and one kept document per cluster. */
@NullMarked
package dev.perhaps.similarity.duplicates;

import org.jspecify.annotations.NullMarked;
