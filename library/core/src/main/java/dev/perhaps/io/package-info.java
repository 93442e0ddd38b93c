/** Hidden: files that appear whole or not at all, numbers for people, and codes for sorted numbers. */
@NullMarked
package dev.perhaps.io;

import org.jspecify.annotations.NullMarked;
