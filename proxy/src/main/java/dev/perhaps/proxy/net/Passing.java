package dev.perhaps.proxy.net;

import dev.perhaps.proxy.http.Headers;
import dev.perhaps.proxy.http.Hops;
import dev.perhaps.proxy.http.HttpDate;

/** Headers of answers as they are passed on. */
final class Passing {
    private Passing() {}

    /** As they are stored: without what belongs to the connection or changes with time, with where it came through. */
    static Headers stored(Headers answer, int minorVersion, String name, long nowMillis) {
        Headers.Builder headers = Hops.endToEnd(answer).edit();
        headers.remove("Age").remove("Content-Length");
        if (!answer.has("Date")) {
            headers.add("Date", HttpDate.write(nowMillis)); // RFC 9110, section 6.6.1
        }
        return headers.add("Via", "1." + minorVersion + " " + name).build();
    }

    static void write(Headers headers, StringBuilder text) {
        headers.forEach((name, value) -> line(text, name, value));
    }

    static void line(StringBuilder text, String name, String value) {
        text.append(name).append(": ").append(value).append("\r\n");
    }
}
