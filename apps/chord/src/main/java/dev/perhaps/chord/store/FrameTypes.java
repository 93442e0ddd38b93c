package dev.perhaps.chord.store;

import dev.perhaps.chord.wire.Dispatcher;

/** The types of the requests and responses about files. See docs/chord-wire.md. */
final class FrameTypes {
    /** A part of a file. */
    static final int CHUNK = Dispatcher.CHUNK;

    /** No more of them. */
    static final int DONE = 41;

    /** Between peers: take this entry. Answered by READY (its chunks, then DONE, then STORED) or HELD. */
    static final int STORE = 42;

    static final int READY = 43;
    static final int HELD = 44;
    static final int STORED = 45;

    /** Between peers: what do you have of this key? Answered by LOOKED. */
    static final int LOOK = 46;

    static final int ENTRY = 47;

    /** Between peers: give me this file, from this chunk on. Answered by chunks, then DONE. */
    static final int FETCH = 48;

    /** Between peers: which of these do you not have? Answered by MISSING. */
    static final int COMPARE = 49;

    static final int MISSING = 50;

    /** Between peers: the hashes below some prefixes of the tree over a range. Answered by HASHES. */
    static final int HASHES = 51;

    /** Between peers: the presence of a peer, mostly of the sender. Answered by DONE. */
    static final int PRESENCE = 52;

    /** Between peers: a request for the presence of all peers. Answered by HEARD. */
    static final int HEARD = 53;

    static final int LOOKED = 54;

    /** Between peers: may these marks go, or: drop them. Answered by MISSING, a bit for each that may not. */
    static final int SWEEP = 55;

    /** Between peers: does the peer at this address answer you? Answered by REACH. */
    static final int REACH = 56;

    /** From callers: keep this file. As STORE. */
    static final int PUT = 60;

    /** From callers: give me this file. Answered by ENTRY, and if it is live chunks, then DONE. */
    static final int GET = 61;

    /** From callers: delete this key. Answered by ENTRY, as it was found. */
    static final int DELETE = 62;

    /** From callers: store a name for this file. Answered by STORED. */
    static final int NAME = 63;

    /** From callers: which file has this name? Answered by ENTRY. */
    static final int NAMED = 64;

    /** From callers: the peer at this address will not come back with what it has. Answered by DONE. */
    static final int FORGET = 65;

    /** From callers: would this name be refused for this file? Answered by DONE. */
    static final int FREE = 66;

    private FrameTypes() {}
}
