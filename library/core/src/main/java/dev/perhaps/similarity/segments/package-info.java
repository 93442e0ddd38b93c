/** Internal: how a similarity index lies in memory and in its file. */
@NullMarked
package dev.perhaps.similarity.segments;

import org.jspecify.annotations.NullMarked;
