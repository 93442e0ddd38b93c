package dev.perhaps.spark.catalyst;

import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.util.AccumulatorV2;
import org.apache.spark.util.TaskCompletionListener;
import org.jspecify.annotations.Nullable;

/**
 * Counts the rows that tasks look up before a join, and those that pass. A partition of a stage counts once, whatever
 * was retried or run twice, and only the last execution of the query counts.
 */
public final class ProbeCounts extends AccumulatorV2<Boolean, ProbeCounts.Totals> {
    private static final long serialVersionUID = 1;

    /*
     * In a task: the counts of its partition, and where it ran. On the driver: what tasks returned. Spark adds up the
     * accumulators of the tasks of a map stage again when it computes the stage again after a lost executor; here the
     * same partition of the same stage replaces what it counted before.
     *
     * An action that reads some partitions first, such as take, has several stages of one execution, with different
     * partitions: they are added. Without an execution of SQL, as for an RDD, each job is one.
     */
    private final Map<Place, Totals> places = new TreeMap<>();

    private transient @Nullable Place here;
    private transient volatile boolean isAskedWhilePlanning;
    private @Nullable Place place;
    private long asked;
    private long passed;
    private long shuffledBytes;

    /**
     * What was counted.
     *
     * @param asked rows that were looked up
     * @param passed those of them that may have a partner
     * @param shuffledBytes bytes that the tasks that looked up wrote for other tasks
     */
    public record Totals(long asked, long passed, long shuffledBytes) implements java.io.Serializable {
        private Totals and(Totals more) {
            return new Totals(asked + more.asked, passed + more.passed, shuffledBytes + more.shuffledBytes);
        }
    }

    /** A partition of a stage of an execution. */
    private record Place(long execution, int stage, int partition) implements Comparable<Place>, java.io.Serializable {
        @Override
        public int compareTo(Place that) {
            int byExecution = Long.compare(execution, that.execution);
            int byStage = byExecution != 0 ? byExecution : Integer.compare(stage, that.stage);
            return byStage != 0 ? byStage : Integer.compare(partition, that.partition);
        }
    }

    /** Counts for the queries of a session. */
    public static ProbeCounts of(SparkContext context) {
        ProbeCounts counts = new ProbeCounts();
        context.register(counts);
        return counts;
    }

    private ProbeCounts() {}

    /** Counts that no task can be given. */
    static ProbeCounts unregistered() {
        return new ProbeCounts();
    }

    /**
     * True if Spark has looked up while it planned: folders of a table, or rows of a local relation. That is not
     * counted.
     */
    public boolean isAskedWhilePlanning() {
        return isAskedWhilePlanning;
    }

    /** Counts a row in a task. */
    void count(boolean passes) {
        if (here == null && !begin()) {
            return;
        }
        asked++;
        passed += passes ? 1 : 0;
    }

    private boolean begin() {
        TaskContext task = TaskContext.get();
        if (task == null) {
            isAskedWhilePlanning = true;
            return false;
        }
        String execution = task.getLocalProperty(SQLExecution.EXECUTION_ID_KEY());
        Place found = new Place(execution == null ? -1 : Long.parseLong(execution), task.stageId(), task.partitionId());
        here = found;
        place = found;
        TaskCompletionListener whenDone = ended ->
                shuffledBytes = ended.taskMetrics().shuffleWriteMetrics().bytesWritten();
        task.addTaskCompletionListener(whenDone);
        return true;
    }

    @Override
    public void add(Boolean passes) {
        count(passes);
    }

    @Override
    public boolean isZero() {
        return place == null && places.isEmpty();
    }

    @Override
    public ProbeCounts copy() {
        ProbeCounts copy = new ProbeCounts();
        synchronized (places) {
            copy.places.putAll(places);
        }
        copy.place = place;
        copy.asked = asked;
        copy.passed = passed;
        copy.shuffledBytes = shuffledBytes;
        return copy;
    }

    @Override
    public void reset() {
        synchronized (places) {
            places.clear();
        }
        place = null;
        asked = 0;
        passed = 0;
        shuffledBytes = 0;
    }

    @Override
    public void merge(AccumulatorV2<Boolean, Totals> other) {
        ProbeCounts that = (ProbeCounts) other;
        Place from = that.place;
        if (from == null) {
            return;
        }
        synchronized (places) {
            if (places.keySet().stream().anyMatch(known -> isBefore(from, known))) {
                return; // a straggler of an execution that was given up
            }
            places.keySet().removeIf(known -> isBefore(known, from));
            places.put(from, new Totals(that.asked, that.passed, that.shuffledBytes));
        }
    }

    /** True if a place is of an execution before that of another one. Numbers of executions and of stages only grow. */
    private static boolean isBefore(Place one, Place other) {
        return one.execution >= 0 && other.execution >= 0 ? one.execution < other.execution : one.stage < other.stage;
    }

    /** What the last execution counted so far. */
    @Override
    public Totals value() {
        synchronized (places) {
            Totals all = new Totals(0, 0, 0);
            for (Totals some : places.values()) {
                all = all.and(some);
            }
            return all;
        }
    }
}
