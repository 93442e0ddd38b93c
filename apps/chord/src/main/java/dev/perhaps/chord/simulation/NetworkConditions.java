package dev.perhaps.chord.simulation;

/**
 * Delays, losses and duplicates of messages.
 *
 * @param leastMillis the shortest way
 * @param spreadMillis how much longer most ways may take; one in sixteen takes up to six times that
 * @param lostPerMille how many of a thousand messages get lost
 * @param doubledPerMille how many of a thousand arrive twice
 */
public record NetworkConditions(int leastMillis, int spreadMillis, int lostPerMille, int doubledPerMille) {
    static final NetworkConditions CALM = new NetworkConditions(5, 10, 0, 0);

    @Override
    public String toString() {
        return "ways of " + leastMillis + " to " + (leastMillis + spreadMillis) + " ms, of a thousand messages "
                + lostPerMille + " lost and " + doubledPerMille + " doubled";
    }
}
