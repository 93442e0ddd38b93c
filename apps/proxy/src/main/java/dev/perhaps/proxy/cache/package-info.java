/** The pages that are kept: copies of answers, by URL, in bounded memory. */
@NullMarked
package dev.perhaps.proxy.cache;

import org.jspecify.annotations.NullMarked;
