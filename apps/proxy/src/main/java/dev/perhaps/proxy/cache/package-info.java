/** The stored pages: responses by URL, in bounded memory. */
@NullMarked
package dev.perhaps.proxy.cache;

import org.jspecify.annotations.NullMarked;
