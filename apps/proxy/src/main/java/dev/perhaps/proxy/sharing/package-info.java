/** What caches tell each other: digests of what they hold, their versions and deltas, and whether to believe them. */
@NullMarked
package dev.perhaps.proxy.sharing;

import org.jspecify.annotations.NullMarked;
