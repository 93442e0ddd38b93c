/**
 * What caches exchange: digests of their pages, versions and deltas, and the guard that decides whether to use them.
 */
@NullMarked
package dev.perhaps.proxy.sharing;

import org.jspecify.annotations.NullMarked;
