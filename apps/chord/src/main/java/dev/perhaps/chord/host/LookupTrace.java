package dev.perhaps.chord.host;

import dev.perhaps.chord.Answer;
import java.util.List;

/**
 * The result of a lookup, and the time that its steps took.
 *
 * @param millis the time of each step of the answer's path, from the request to its reply or deadline
 */
public record LookupTrace(Answer answer, List<Double> millis) {
    /** Copies the list. */
    public LookupTrace {
        millis = List.copyOf(millis);
    }
}
