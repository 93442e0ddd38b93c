/**
 * Pages for those who run a program, over HTTP: health, metrics, JSON, events and static files, behind one check of the Host and
 * one set of limits. {@link dev.perhaps.web.admin.AdminServer} is the start; a program only says what is shown.
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
 * No type of Netty appears in what is public here.
 */
@NullMarked
package dev.perhaps.web.admin;

import org.jspecify.annotations.NullMarked;
