/** Internal: bits, formulas and bulk building of Bloom filters, whole and blocked. */
@NullMarked
package dev.perhaps.membership.bloom;

import org.jspecify.annotations.NullMarked;
