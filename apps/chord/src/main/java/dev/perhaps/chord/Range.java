package dev.perhaps.chord;

/**
 * The keys after {@code from} up to and including {@code to}; all keys if they are the same.
 *
 * @param from the last key that is not in it
 * @param to the last key that is
 */
public record Range(Id from, Id to) {
    /** Returns true if the key lies in this range. */
    public boolean contains(Id key) {
        return Id.betweenClosed(from, key, to);
    }

    @Override
    public String toString() {
        return "(" + from.brief() + ", " + to.brief() + "]";
    }
}
