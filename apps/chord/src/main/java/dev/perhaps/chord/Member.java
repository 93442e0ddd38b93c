package dev.perhaps.chord;

/**
 * A peer as others know it: its place on the circle, and its address.
 *
 * @param id its place; no two members share one
 * @param address the address for messages, as {@code host:port}; virtual nodes of one host share it
 */
public record Member(Id id, String address) {
    /** The n-th virtual node at an address: its place is the hash of both. */
    public static Member at(String address, int virtualNode) {
        if (address.isEmpty() || virtualNode < 0) {
            throw new IllegalArgumentException(
                    "a member needs an address and a node number from 0, got '" + address + "' and " + virtualNode);
        }
        return new Member(Id.hashOf(address + "#" + virtualNode), address);
    }

    /**
     * Nobody, standing right behind a member: it fills the end of a successor list that lost an entry. It skips no one,
     * for there is no place between the two, and it is dead without being asked.
     */
    static Member nobodyAfter(Member last) {
        return new Member(last.id.plusPowerOfTwo(0), "");
    }

    /** Returns true if this only fills a list. */
    public boolean isNobody() {
        return address.isEmpty();
    }

    /** Returns true if both have the same id, and so the same place on the ring. */
    public boolean is(Member other) {
        return id.equals(other.id);
    }

    static boolean between(Member a, Member x, Member b) {
        return Id.between(a.id, x.id, b.id);
    }

    @Override
    public String toString() {
        return isNobody() ? "nobody" : address + "/" + id.brief();
    }
}
