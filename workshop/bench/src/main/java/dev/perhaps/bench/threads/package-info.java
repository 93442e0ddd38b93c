/** Structures that threads and processes share: their concurrent form beside a lock, and one mapped file. */
@NullMarked
package dev.perhaps.bench.threads;

import org.jspecify.annotations.NullMarked;
