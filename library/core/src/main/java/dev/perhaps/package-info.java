/** Answers about data too big to keep, with a known error: files of every kind open through {@link dev.perhaps.Perhaps}. */
@NullMarked
package dev.perhaps;

import org.jspecify.annotations.NullMarked;
