/** Hidden: what is done to a hash once a key has made it, and the hash functions that foreign formats fixed. */
@NullMarked
package dev.perhaps.hash;

import org.jspecify.annotations.NullMarked;
