package dev.perhaps.guard;

/** What can be done with a filter before a lookup: trust neither, the filter first, or the lookup alone. */
public enum Action {
    /** Ask neither filter nor cache, but the origin at once: too cold to be worth a look. */
    NEVER,
    /** Ask the filter, and look only where it says "perhaps". */
    CONSULT,
    /** Look without asking the filter: so much is there that asking would be wasted. */
    ALWAYS
}
