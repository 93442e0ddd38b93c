/** Internal: from text to the set of its shingle hashes. */
@NullMarked
package dev.perhaps.similarity.text;

import org.jspecify.annotations.NullMarked;
