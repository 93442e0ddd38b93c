package dev.perhaps.chord;

/** Members that a request should not go to. */
@FunctionalInterface
interface Avoidance {
    boolean contains(Member member);
}
