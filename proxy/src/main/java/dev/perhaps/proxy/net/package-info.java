/** The sockets of the proxy: clients on one side, the origin and siblings on the other. */
@NullMarked
package dev.perhaps.proxy.net;

import org.jspecify.annotations.NullMarked;
