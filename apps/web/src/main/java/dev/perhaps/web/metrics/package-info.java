/**
 * The figures of a program for a monitoring system. {@link dev.perhaps.web.metrics.Metrics} is the registry, and writes
 * the text format of Prometheus. Nothing here uses a socket, so that every part of a program can count.
 */
@CheckReturnValue
@NullMarked
package dev.perhaps.web.metrics;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
