/**
 * Pages for operators, over HTTP: health, metrics, JSON, events and static files, behind one check of the Host and one
 * set of limits. Start with {@link dev.perhaps.web.admin.AdminServer}; a program only defines what is shown.
 *
 * <pre>{@code
 * try (AdminServer admin = AdminServer.at(new InetSocketAddress("127.0.0.1", 0))
 *         .health(server::isHealthy, "an event loop is stuck")
 *         .readiness(server::isReady, "it is stopping")
 *         .metrics(metrics)
 *         .page("/api/keys", request -> AdminReply.json(json -> json.field("keys", server.keys())))
 *         .events("/api/events", round -> round.event("keys", server.keysAsJson()))
 *         .open()) {
 *     System.out.println("admin at " + admin.url());
 * }
 * }</pre>
 *
 * No public signature here has a type of Netty.
 */
@CheckReturnValue
@NullMarked
package dev.perhaps.web.admin;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
