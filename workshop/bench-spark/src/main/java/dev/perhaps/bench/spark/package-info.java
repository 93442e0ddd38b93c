/** The functions and jobs on Spark beside what Spark has itself, in one session. */
@NullMarked
package dev.perhaps.bench.spark;

import org.jspecify.annotations.NullMarked;
