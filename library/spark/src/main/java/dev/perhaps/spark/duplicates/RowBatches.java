package dev.perhaps.spark.duplicates;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;

/** Rows of a task that are made some at a time, while rows that come in are read. Not thread-safe. */
public abstract class RowBatches implements Iterator<Row> {
    private final Iterator<Row> in;
    private final ArrayDeque<Row> ready = new ArrayDeque<>();
    private Iterator<Row> later = Collections.emptyIterator();
    private @Nullable Row first;
    private boolean isEnded;

    protected RowBatches(Iterator<Row> in) {
        this.in = in;
    }

    /** Reads at least one row, of which there is one, and gives what follows from it. */
    protected abstract void work(Consumer<Row> out);

    /** Gives what is left when all rows have been read. */
    protected void end(Consumer<Row> out) {}

    /** Gives very many rows, each when it is asked for, after those that are given one by one. */
    protected final void giveLater(Iterator<Row> rows) {
        later = rows;
    }

    /** The next row, which is not read yet; null at the end. */
    protected final @Nullable Row peek() {
        if (first == null && in.hasNext()) {
            first = in.next();
        }
        return first;
    }

    protected final Row read() {
        Row row = peek();
        if (row == null) {
            throw new NoSuchElementException();
        }
        first = null;
        return row;
    }

    @Override
    public final boolean hasNext() {
        while (ready.isEmpty() && !later.hasNext()) {
            if (peek() != null) {
                work(ready::add);
            } else if (isEnded) {
                return false;
            } else {
                isEnded = true;
                end(ready::add);
            }
        }
        return true;
    }

    @Override
    public final Row next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return ready.isEmpty() ? later.next() : ready.remove();
    }
}
