/** The page of a peer: what it sees of its ring and its files, over HTTP, for reading only. */
@NullMarked
package dev.perhaps.chord.web;

import org.jspecify.annotations.NullMarked;
