/** perhaps count, distinct, top and flows: how often? */
@NullMarked
package dev.perhaps.cli.frequency;

import org.jspecify.annotations.NullMarked;
