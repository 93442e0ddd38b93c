/** Internal: atomic writing of files, formatting of numbers, and codes for sorted numbers. */
@NullMarked
package dev.perhaps.io;

import org.jspecify.annotations.NullMarked;
