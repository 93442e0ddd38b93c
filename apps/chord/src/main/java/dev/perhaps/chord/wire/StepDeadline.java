package dev.perhaps.chord.wire;

import dev.perhaps.web.OutOfMemoryGuard;
import java.io.IOException;
import java.net.Socket;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Closes sockets on which one step takes too long. The timeout of a socket applies to each single read, so that a sender of
 * one byte now and then never times out; and there is none for writing.
 */
final class StepDeadline {
    private static final long LOOK_MILLIS = 100;
    private static final Set<Step> STEPS = ConcurrentHashMap.newKeySet();

    static {
        Thread thread = new Thread(OutOfMemoryGuard.guard(StepDeadline::look), "watch");
        thread.setDaemon(true);
        thread.start();
    }

    private StepDeadline() {}

    /** The step is over. */
    interface Stop extends AutoCloseable {
        @Override
        void close();
    }

    private static final class Step implements Stop {
        private final Socket socket;
        private final long endNanos;

        Step(Socket socket, long endNanos) {
            this.socket = socket;
            this.endNanos = endNanos;
        }

        @Override
        public void close() {
            STEPS.remove(this);
        }
    }

    /** Begins a step that may take this number of milliseconds. */
    static Stop over(Socket socket, int millis) {
        Step step = new Step(socket, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis + LOOK_MILLIS));
        STEPS.add(step);
        return step;
    }

    private static void look() {
        while (true) {
            try {
                Thread.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                continue; // nobody stops it
            }
            long now = System.nanoTime();
            for (Iterator<Step> steps = STEPS.iterator(); steps.hasNext(); ) {
                Step step = steps.next();
                if (now - step.endNanos > 0) {
                    steps.remove();
                    close(step.socket);
                }
            }
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            assert socket.isClosed();
        }
    }
}
