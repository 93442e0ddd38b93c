/**
 * The sockets of the proxy: clients on one side, the origin and siblings on the other. A request on its way from the
 * client's first byte to the origin or a sibling, and its response on the way back:
 *
 * <pre>
 *    client                                                                                       origin    sibling
 *      │ bytes                                                                                       ▲         ▲
 *      ▼                                                                                             │         │
 *  ProxyServer        limits by Addresses (connections, memory); TLS, then HTTP/1.1 or HTTP/2        │         │
 *      │                                                                                             │         │
 *      ├─ Http2Connection ─ Http2Stream    a stream becomes a channel that speaks HTTP/1.1           │         │
 *      ▼                                                                                             │         │
 *  ClientConnection   Input finds heads; HeadReader, Framing and Target read them or refuse them     │         │
 *      │                                                                                             │         │
 *      ├─ RouterServing    pages of our own: digests, metrics                                        │         │
 *      ▼                                                                                             │         │
 *  ClientRequest      PageStore: is a copy here, fresh, and of this variant? ── hit ──&gt; Reply         │         │
 *      │ miss or stale                                                                               │         │
 *      ▼                                                                                             │         │
 *  PageFetch          one for all who miss the same page at once (Engine.flights)                    │         │
 *      │                                                                                             │         │
 *      ├─ SiblingLookup.attempt: does a sibling perhaps have it, and is it worth asking?             │         │
 *      ▼                                                                                             │         │
 *  OriginAttempt      one request: to a sibling, else to the origin, or to the origin for the rest   │         │
 *      ▼                                                                                             │         │
 *  Upstream           a connection, or a place in the queue: ConnectionShares by client address      │         │
 *      ▼                                                                                             │         │
 *  UpstreamConnection head and body out; the response's head in, then its body piece by piece ─────────┴─────────┘
 *
 *  and back:
 *
 *  UpstreamConnection ── begins, piece, ends, fails ──&gt; OriginAttempt ── LookupOutcome ──&gt; SiblingLookup
 *      OriginAttempt ──&gt; PageFetch     Storing: may it be stored? Flow: bytes for all who wait, at their own pace;
 *                                      the connection is read on when the Flow has room
 *      PageFetch ──&gt; ClientRequest ──&gt; Reply ──&gt; ClientConnection    head by HeadWriter, body from a Source,
 *                                      when the socket has room
 *      PageFetch ──&gt; PageStore         the copy, when it is whole ── CacheListener ──&gt; the digest for siblings
 * </pre>
 *
 * <p>A client is served on one event loop, and so are its fetches and their connections. Only {@code Engine},
 * {@code Flow} and the waiting list of a {@code PageFetch} are shared between loops. Nothing here waits.
 */
@CheckReturnValue
@NullMarked
package dev.perhaps.proxy.net;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
