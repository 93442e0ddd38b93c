/** Which items occur mostly together? */
@NullMarked
package dev.perhaps.similarity.baskets;

import org.jspecify.annotations.NullMarked;
