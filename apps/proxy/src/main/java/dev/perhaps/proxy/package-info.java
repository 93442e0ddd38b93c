/** A caching reverse proxy that tells its siblings what it holds, and asks them before the origin. */
@NullMarked
package dev.perhaps.proxy;

import org.jspecify.annotations.NullMarked;
