package dev.perhaps.proxy.net;

import dev.perhaps.proxy.http.Headers;
import dev.perhaps.proxy.http.HttpDate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;

/** Responses of the proxy itself, such as errors. Safe for any number of threads. */
final class ProxyResponses {
    private final InstantSource clock;

    ProxyResponses(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * Returns an error, with the reason as plain text.
     *
     * @param cacheStatus the field Cache-Status; empty: none
     * @param bodiless true if the request was HEAD
     * @param close true if the connection is closed afterwards
     */
    ByteBuf error(int status, String why, String cacheStatus, boolean bodiless, boolean close) {
        Headers.Builder headers = new Headers.Builder().add("Content-Type", "text/plain; charset=utf-8");
        if (!cacheStatus.isEmpty()) {
            headers.add("Cache-Status", cacheStatus);
        }
        byte[] content = (status + ": " + why + "\n").getBytes(StandardCharsets.UTF_8);
        return response(status, headers.build(), content, bodiless, close);
    }

    /** Returns a response with this content. */
    ByteBuf response(int status, Headers headers, byte[] content, boolean bodiless, boolean close) {
        StringBuilder text = new StringBuilder(256);
        text.append("HTTP/1.1 ")
                .append(status)
                .append(' ')
                .append(HeadWriter.reason(status))
                .append("\r\n");
        HeadWriter.line(text, "Date", HttpDate.write(clock.millis()));
        HeadWriter.write(headers, text);
        HeadWriter.line(text, "Content-Length", Integer.toString(content.length));
        if (close) {
            HeadWriter.line(text, "Connection", "close");
        }
        text.append("\r\n");
        byte[] head = text.toString().getBytes(StandardCharsets.ISO_8859_1);
        return bodiless ? Unpooled.wrappedBuffer(head) : Unpooled.wrappedBuffer(head, content);
    }
}
