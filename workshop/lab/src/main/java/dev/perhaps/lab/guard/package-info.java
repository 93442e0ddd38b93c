/** Experiments on the guard in front of real tables on disk, with workloads that change. */
@NullMarked
package dev.perhaps.lab.guard;

import org.jspecify.annotations.NullMarked;
