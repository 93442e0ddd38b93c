/**
 * Siblings on the network: which proxies they are, their digests over HTTP, the requests to them, and the page that
 * shows all this.
 */
@CheckReturnValue
@NullMarked
package dev.perhaps.proxy.siblings;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
