package dev.perhaps.chord;

/** Members that a question should not go to. */
@FunctionalInterface
interface Avoided {
    boolean contains(Member member);
}
