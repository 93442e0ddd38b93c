/** A caching reverse proxy that tells its siblings what it holds, and asks them before the origin. */
@CheckReturnValue
@NullMarked
package dev.perhaps.proxy;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
