/** perhaps proxy: an HTTP cache that shares digests with its siblings. */
@NullMarked
package dev.perhaps.cli.proxy;

import org.jspecify.annotations.NullMarked;
