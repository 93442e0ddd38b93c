/** perhaps plan and perhaps filter: is it in the set? */
@NullMarked
package dev.perhaps.cli.membership;

import org.jspecify.annotations.NullMarked;
