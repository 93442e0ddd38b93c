/** Files on a ring of peers: several copies each, found as long as one of them can be reached. */
@NullMarked
package dev.perhaps.chord.store;

import org.jspecify.annotations.NullMarked;
