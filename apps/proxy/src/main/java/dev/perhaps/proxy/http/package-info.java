/**
 * The rules of HTTP, without a socket or a clock: which messages are valid, which responses may be stored, how long
 * they are fresh, and for which requests they may be used (RFC 9110, 9111, 9112).
 */
@NullMarked
package dev.perhaps.proxy.http;

import org.jspecify.annotations.NullMarked;
