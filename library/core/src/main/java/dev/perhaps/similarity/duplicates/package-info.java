/** Which documents are near duplicates of each other? Exact edges, clusters, and one kept document per cluster. */
@CheckReturnValue
@NullMarked
package dev.perhaps.similarity.duplicates;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
