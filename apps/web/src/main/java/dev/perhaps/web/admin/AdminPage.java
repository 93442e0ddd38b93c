package dev.perhaps.web.admin;

import java.io.IOException;

/** A page of an {@link AdminServer}. It is called on one of a few threads, several at a time, and may wait within limits. */
@FunctionalInterface
public interface AdminPage {
    /**
     * Returns what to reply.
     *
     * @throws IllegalArgumentException if the request is wrong: the client gets 400 and the message
     * @throws IOException if the page is not available now: the client gets 503 and the message
     */
    AdminReply reply(AdminRequest request) throws IOException;
}
