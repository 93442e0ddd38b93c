/** The page of a peer: what it sees of its ring and its files, over HTTP, for reading only. */
@CheckReturnValue
@NullMarked
package dev.perhaps.chord.web;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
