/** perhaps dedup, similar, similarity and baskets: how alike? */
@NullMarked
package dev.perhaps.cli.similarity;

import org.jspecify.annotations.NullMarked;
