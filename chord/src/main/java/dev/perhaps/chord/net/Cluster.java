package dev.perhaps.chord.net;

import java.util.Optional;

/**
 * Which peers belong together.
 *
 * @param name peers of another name are refused
 * @param secret peers without it are refused; none is good for loopback only
 */
public record Cluster(String name, Optional<Secret> secret) {
    public static final String USUAL_NAME = "perhaps";

    private static final int MOST_NAME_LETTERS = 100;

    public Cluster {
        if (name.isEmpty() || name.length() > MOST_NAME_LETTERS || !name.equals(Printable.of(name))) {
            throw new IllegalArgumentException("a cluster's name has 1 to " + MOST_NAME_LETTERS
                    + " letters, none of them a control character, got '" + Printable.of(name) + "'");
        }
    }

    /** The usual name, and no secret: for peers of one machine. */
    public static Cluster open() {
        return new Cluster(USUAL_NAME, Optional.empty());
    }
}
