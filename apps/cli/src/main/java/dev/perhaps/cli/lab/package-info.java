/** perhaps lab: the experiments of the papers. */
@NullMarked
package dev.perhaps.cli.lab;

import org.jspecify.annotations.NullMarked;
