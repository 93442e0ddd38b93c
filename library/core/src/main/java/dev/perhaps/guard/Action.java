package dev.perhaps.guard;

/** What a guard does with a key: skip filter and lookup, ask the filter first, or look up directly. */
public enum Action {
    /** Go to the origin at once, without filter and cache: hits are too rare to be worth a lookup. */
    NEVER,
    /** Ask the filter, and look up only if it says "perhaps". */
    CONSULT,
    /** Look up without asking the filter: nearly all keys are there, so that asking would be wasted. */
    ALWAYS
}
