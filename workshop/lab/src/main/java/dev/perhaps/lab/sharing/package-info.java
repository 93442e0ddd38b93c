/** Experiments on caches that share digests. */
@NullMarked
package dev.perhaps.lab.sharing;

import org.jspecify.annotations.NullMarked;
