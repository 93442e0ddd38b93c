/** The one file format of all structures, and how files are written whole, read with care and mapped. */
@NullMarked
package dev.perhaps.io;

import org.jspecify.annotations.NullMarked;
