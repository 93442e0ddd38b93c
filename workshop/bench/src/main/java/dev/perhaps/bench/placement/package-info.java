/** Placement compared with other libraries and with a tree map. */
@NullMarked
package dev.perhaps.bench.placement;

import org.jspecify.annotations.NullMarked;
