/** Which items occur mostly together? Pairs of items whose sets of baskets are similar. */
@CheckReturnValue
@NullMarked
package dev.perhaps.similarity.baskets;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
