/** Internal: what a user asked of a plan for a filter. */
@NullMarked
package dev.perhaps.membership.request;

import org.jspecify.annotations.NullMarked;
