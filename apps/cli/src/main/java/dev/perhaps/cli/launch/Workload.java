package dev.perhaps.cli.launch;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says on a command what kind of work it does. The launcher starts Java with the flags of that kind; a command that says
 * nothing is {@link Kind#SHORT}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Workload {
    Kind value();

    /** The option that gives the size in bytes which the flags of {@link Kind#CACHE} and {@link Kind#KEYS} depend on. */
    String sizeOption() default "";

    /** A kind of work, and the JVM flags that suit it. */
    enum Kind {
        /** Done in a second: it starts fastest with the simple compiler and collector. */
        SHORT("-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MaxRAMPercentage=80"),

        /** Reads a lot and may keep much of it. */
        BULK("-XX:+UseParallelGC -XX:MaxRAMPercentage=80"),

        /**
         * Gigabytes pass through a heap that stays small: what is new in it is limited, and collected before more memory is taken.
         * What is kept is not limited, since keys may be long and many.
         */
        STREAM("-XX:+UseParallelGC -XX:MaxNewSize=64m -XX:GCTimeRatio=9 -XX:MaxRAMPercentage=80"),

        /** As {@link #BULK}, and draws plots without a display. */
        EXPERIMENT("-XX:+UseParallelGC -XX:MaxRAMPercentage=80 -Djava.awt.headless=true"),

        /** Runs for long, and leaves the machine to others. */
        SERVICE("-XX:+UseSerialGC -Xmx512m -XX:+ExitOnOutOfMemoryError"),

        /**
         * Runs for long, with short pauses. A cache needs a heap of twice its size, and some more for requests under way.
         * What clients have not read yet is outside of the heap; the program limits it, and the limit here is only for what
         * it overlooks.
         */
        CACHE("-XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:+ExitOnOutOfMemoryError -Xmx{megabytes*2+384}m"
                + " -XX:MaxDirectMemorySize={megabytes/4+384}m"),

        /**
         * As {@link #CACHE}, with values that are replaced all the time: every one is a reference from an old object to a new one.
         * To note these during pauses takes half of the time that it takes beside the program, and a larger part of the heap for
         * new objects makes the pauses rare.
         */
        KEYS("-XX:+UseG1GC -XX:MaxGCPauseMillis=40 -XX:+UnlockExperimentalVMOptions -XX:G1NewSizePercent=30"
                + " -XX:+IgnoreUnrecognizedVMOptions -XX:-G1UseAdaptiveConcRefinement -XX:G1ConcRefinementGreenZone=100000"
                + " -XX:G1ConcRefinementYellowZone=200000 -XX:G1ConcRefinementRedZone=400000"
                + " -XX:G1RSetUpdatingPauseTimePercent=50 -XX:+ExitOnOutOfMemoryError -Xmx{megabytes*2+384}m"
                + " -XX:MaxDirectMemorySize={megabytes/4+384}m");

        private final String flags;

        Kind(String flags) {
            this.flags = flags;
        }

        /** Returns flags separated by spaces; the launcher computes what is in braces from the size. */
        String flags() {
            return flags;
        }
    }
}
