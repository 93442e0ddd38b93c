/** Which items occur mostly together? Pairs of items whose sets of baskets are similar. */
@NullMarked
package dev.perhaps.similarity.baskets;

import org.jspecify.annotations.NullMarked;
