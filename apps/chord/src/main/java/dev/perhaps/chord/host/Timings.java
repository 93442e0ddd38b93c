package dev.perhaps.chord.host;

import dev.perhaps.chord.Answer;
import dev.perhaps.chord.Message;
import java.util.LinkedHashMap;
import java.util.Map;

/** The time that the latest requests of a node took, more exact than the milliseconds of the protocol. */
final class Timings {
    private static final int MAX_QUESTIONS = 4_096;
    private static final double NANOS_PER_MILLI = 1e6;

    private final Map<Long, Long> askedNanos = new Latest();
    private final Map<Long, Long> tookNanos = new Latest();

    void asked(long request) {
        askedNanos.put(request, System.nanoTime());
    }

    /** Records a message; requests of others are numbered by them, and do not count. */
    void heard(long request, Message message) {
        if (message instanceof Message.Referral
                || message instanceof Message.Ownership
                || message instanceof Message.NotMember) {
            ended(request);
        }
    }

    void ended(long request) {
        Long since = askedNanos.remove(request);
        if (since != null) {
            tookNanos.put(request, System.nanoTime() - since);
        }
    }

    LookupTrace of(Answer answer) {
        return new LookupTrace(
                answer,
                answer.path().stream()
                        .map(hop -> tookNanos.getOrDefault(hop.request(), 0L) / NANOS_PER_MILLI)
                        .toList());
    }

    private static final class Latest extends LinkedHashMap<Long, Long> {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
            return size() > MAX_QUESTIONS;
        }
    }
}
