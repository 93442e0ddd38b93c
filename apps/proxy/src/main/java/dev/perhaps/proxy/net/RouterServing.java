package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Router;
import dev.perhaps.proxy.http.BadMessage;
import dev.perhaps.proxy.http.Framing;
import dev.perhaps.proxy.http.RequestHead;
import dev.perhaps.proxy.http.Target;
import java.io.ByteArrayOutputStream;
import java.util.List;

/** A request for a page of our own. Confined to the event loop of the client. */
final class RouterServing implements Service.Serving {
    private static final int MAX_BODY_BYTES = 1 << 20;

    private final Router router;
    private final ClientConnection client;
    private final RequestHead head;
    private final Target target;
    private final Framing framing;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();

    RouterServing(Router router, ClientConnection client, RequestHead head, Target target, Framing framing) {
        this.router = router;
        this.client = client;
        this.head = head;
        this.target = target;
        this.framing = framing;
    }

    /** The path of a target, without its query. */
    static String path(Target target) {
        int question = target.path().indexOf('?');
        return question < 0 ? target.path() : target.path().substring(0, question);
    }

    @Override
    public void start() throws BadMessage {
        if (!List.of("GET", "HEAD", "POST").contains(head.method())) {
            throw new BadMessage(405, "this page is there to be read");
        }
        if (framing.lengthBytes() > MAX_BODY_BYTES) {
            throw new BadMessage(413, "the body of such a request has at most " + MAX_BODY_BYTES + " bytes");
        }
        if (framing.isEmpty()) {
            whole();
        } else {
            client.wantBody(true);
        }
    }

    @Override
    public void piece(byte[] piece) {
        if (body.size() <= MAX_BODY_BYTES) {
            body.writeBytes(piece);
            client.bodyWaits(2L * body.size()); // its array is up to twice as long
        }
    }

    @Override
    public void whole() {
        boolean close = client.closesAfter(head);
        if (body.size() > MAX_BODY_BYTES) {
            client.send(
                    client.responses()
                            .error(413, "the body has more than " + MAX_BODY_BYTES + " bytes", "", isHead(), close),
                    close);
            return;
        }
        String path = path(target);
        String query = target.path().substring(Math.min(target.path().length(), path.length() + 1));
        Router.Response response = router.response(new Router.Request(
                head.method(),
                path,
                query,
                head.headers(),
                body.toByteArray(),
                client.socket().isCertified()));
        client.send(
                client.responses().response(response.status(), response.headers(), response.body(), isHead(), close),
                close);
    }

    private boolean isHead() {
        return head.method().equals("HEAD");
    }

    @Override
    public void gone() {
        body.reset();
    }
}
