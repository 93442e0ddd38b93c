/**
 * The rules of HTTP, without a socket or a clock: what a message must look like, what may be kept, how long it is fresh, and
 * whom it may be given to (RFC 9110, 9111, 9112).
 */
@NullMarked
package dev.perhaps.proxy.http;

import org.jspecify.annotations.NullMarked;
