package dev.perhaps.chord.wire;

import dev.perhaps.web.Role;
import java.util.Set;

/**
 * The identity of the other end of a connection, as proved by the handshake.
 *
 * @param roles what it may do
 * @param holder the name that its secret was granted to; empty if it knows the cluster's own
 * @param use what the connection is for
 * @param address where it is reached itself; empty for a command
 * @param patienceMillis how long it waits for an answer
 */
public record Session(Set<Role> roles, String holder, Use use, String address, int patienceMillis) {
    public Session {
        roles = Set.copyOf(roles);
    }

    /** What a connection is for. */
    public enum Use {
        /** Messages of the protocol, between two peers. */
        MESSAGES(0),
        /** Questions of a peer, one at a time. */
        PEER_CALLS(1),
        /** Questions of a command, one at a time. */
        COMMANDS(2);

        private final int number;

        Use(int number) {
            this.number = number;
        }

        /** As in docs/chord-wire.md. */
        int number() {
            return number;
        }

        static Use numbered(int number) throws BadFrame {
            for (Use use : values()) {
                if (use.number == number) {
                    return use;
                }
            }
            throw new BadFrame("unknown use of a connection: " + number);
        }
    }
}
