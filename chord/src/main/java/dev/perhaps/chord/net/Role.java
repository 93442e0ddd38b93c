package dev.perhaps.chord.net;

import java.util.Locale;

/** What somebody may do who has proved to know a secret. */
public enum Role {
    /** Everything: take part in the ring, and all that others may. */
    PEER(0),
    /** Give up a peer for good, and all that a client may. */
    OPERATOR(1),
    /** Put, get, name and delete files, and look at the ring. */
    CLIENT(2);

    private final int number;

    Role(int number) {
        this.number = number;
    }

    /** As in docs/chord-wire.md. */
    int number() {
        return number;
    }

    static Role numbered(int number) throws BadFrame {
        for (Role role : values()) {
            if (role.number == number) {
                return role;
            }
        }
        throw new BadFrame("there is no role " + number);
    }

    /** True if whoever has this role may do what needs that one. */
    public boolean allows(Role needed) {
        return number <= needed.number;
    }

    String withArticle() {
        return (this == OPERATOR ? "an " : "a ") + this;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
