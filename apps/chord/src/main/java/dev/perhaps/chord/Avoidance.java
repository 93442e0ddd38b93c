package dev.perhaps.chord;

/** Members that a question should not go to. */
@FunctionalInterface
interface Avoidance {
    boolean contains(Member member);
}
