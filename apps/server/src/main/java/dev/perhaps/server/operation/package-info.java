/** What an operator sets and watches: settings, statistics and failures. */
@NullMarked
package dev.perhaps.server.operation;

import org.jspecify.annotations.NullMarked;
