/** {@code perhaps serve}. */
@NullMarked
package dev.perhaps.cli.server;

import org.jspecify.annotations.NullMarked;
