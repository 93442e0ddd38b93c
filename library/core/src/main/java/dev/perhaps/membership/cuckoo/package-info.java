/** Internal: tables of fingerprints in buckets. */
@NullMarked
package dev.perhaps.membership.cuckoo;

import org.jspecify.annotations.NullMarked;
