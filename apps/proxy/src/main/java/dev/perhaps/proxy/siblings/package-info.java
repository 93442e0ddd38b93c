/** Siblings on the network: who they are, their digests over HTTP, what they are asked, and how that is seen from outside. */
@NullMarked
package dev.perhaps.proxy.siblings;

import org.jspecify.annotations.NullMarked;
