/** Hidden: what measured costs come to. */
@NullMarked
package dev.perhaps.guard.cost;

import org.jspecify.annotations.NullMarked;
