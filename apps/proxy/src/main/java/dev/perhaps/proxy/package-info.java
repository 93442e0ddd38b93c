/**
 * A caching reverse proxy that shares digests of its cache with siblings, and looks pages up there before the origin.
 */
@CheckReturnValue
@NullMarked
package dev.perhaps.proxy;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
