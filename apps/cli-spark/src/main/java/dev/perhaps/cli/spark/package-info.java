/** The driver of a command that runs on Spark: its long steps become jobs. */
@NullMarked
package dev.perhaps.cli.spark;

import org.jspecify.annotations.NullMarked;
