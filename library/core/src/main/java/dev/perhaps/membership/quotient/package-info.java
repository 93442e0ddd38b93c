/** Internal: tables of quotients and remainders, in order. */
@NullMarked
package dev.perhaps.membership.quotient;

import org.jspecify.annotations.NullMarked;
