/**
 * Is it in the set? Filters that say <em>definitely not</em> or <em>perhaps</em>, and state how often "perhaps" is
 * wrong.
 */
@CheckReturnValue
@NullMarked
package dev.perhaps.membership;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
