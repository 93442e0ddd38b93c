package dev.perhaps.bench;

import java.lang.management.ManagementFactory;

/** The clock that measures a turn. */
public enum Clock {
    /** Wall-clock time. */
    WALL {
        @Override
        long nanos() {
            return System.nanoTime();
        }
    },
    /** CPU time of the measuring thread: other processes and garbage collection are left out. */
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
