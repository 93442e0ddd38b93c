/** Files on a ring of peers: several copies each, found as long as one of them can be reached. */
@CheckReturnValue
@NullMarked
package dev.perhaps.chord.store;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
