package dev.perhaps.bench;

import java.lang.management.ManagementFactory;

/** What time is taken from. */
enum Clock {
    /** The time that passes. */
    WALL {
        @Override
        long nanos() {
            return System.nanoTime();
        }
    },
    /** The time that the measuring thread runs: what others do on the machine meanwhile is left out, collecting too. */
    CPU {
        @Override
        long nanos() {
            return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        }
    };

    abstract long nanos();

    @Override
    public String toString() {
        return this == WALL ? "wall time" : "CPU time";
    }
}
