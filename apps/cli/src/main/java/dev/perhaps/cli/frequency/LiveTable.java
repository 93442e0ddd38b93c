package dev.perhaps.cli.frequency;

import dev.perhaps.cli.console.Printable;
import java.io.Closeable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;

/** Shows a ranking on the terminal while it is counted, and takes it away at the end. */
final class LiveTable implements Closeable {
    private static final long EVERY_MILLIS = 1000;
    private static final int MAX_ROWS = 40;
    private static final int MAX_COLUMNS = 60;

    private final Ranking ranking;
    private final Timer clock = new Timer("live table", true);
    private int drawn;
    private boolean closed;

    /** Draws from time to time; a thread that changes the ranking holds its lock. */
    LiveTable(Ranking ranking) {
        this.ranking = ranking;
        TimerTask task = new TimerTask() {
            @Override
            public void run() {
                draw();
            }
        };
        clock.schedule(task, EVERY_MILLIS, EVERY_MILLIS);
    }

    private void draw() {
        synchronized (ranking) {
            if (closed) {
                return;
            }
            StringBuilder text = new StringBuilder(erased());
            ranking.advanceTo(System.currentTimeMillis());
            var top = ranking.top();
            List<String> margins = TopTable.margins(top, ranking.decimals());
            drawn = Math.min(MAX_ROWS, top.size());
            for (int i = 0; i < drawn; i++) {
                text.append(margins.get(i))
                        .append(shown(new String(top.get(i).value(), StandardCharsets.UTF_8)))
                        .append('\n');
            }
            System.err.print(text);
        }
    }

    /** What is drawn must not move the cursor, nor run over the line's end. */
    private static String shown(String key) {
        String plain = Printable.text(key).replace('\t', ' ');
        return plain.length() <= MAX_COLUMNS ? plain : plain.substring(0, MAX_COLUMNS - 1) + "…";
    }

    private String erased() {
        return drawn == 0 ? "" : "\033[" + drawn + "A\033[J";
    }

    @Override
    public void close() {
        clock.cancel();
        synchronized (ranking) {
            closed = true;
            System.err.print(erased());
        }
    }
}
