/**
 * A caching reverse proxy that shares digests of its cache with siblings, and looks pages up there before the origin.
 */
@NullMarked
package dev.perhaps.proxy;

import org.jspecify.annotations.NullMarked;
