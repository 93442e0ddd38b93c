/** Experiments on the Bloom paradox: when a filter in front of a cache costs more than it saves. */
@NullMarked
package dev.perhaps.lab.paradox;

import org.jspecify.annotations.NullMarked;
