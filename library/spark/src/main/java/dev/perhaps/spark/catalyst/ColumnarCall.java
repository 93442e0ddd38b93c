package dev.perhaps.spark.catalyst;

import java.io.IOException;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.InputAdapter;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;
import scala.Function0;
import scala.Option;
import scala.Tuple2;

/**
 * One aggregate of all rows that is computed without Spark's aggregation: from column batches if the plan has them,
 * else from rows. The same {@link SketchState} as in SQL builds, merges and returns the structure. Immutable.
 */
public final class ColumnarCall {
    /*
     * Spark plans  SELECT value FROM rows.  Where that is a column as a scan returns it, the plan is
     *
     *     WholeStageCodegen(Project(value AS name)?(ColumnarToRow(InputAdapter(scan))))
     *
     * and the scan is asked for its batches. Everything else returns rows.
     *
     * A task computes its state from its partition alone and returns it as bytes, so it can be repeated. States are
     * merged 16 at a time; the last task makes the frame. So no task and not the driver reads more than 16 states.
     */
    private static final int MERGED_AT_ONCE = 16;

    private final SketchAggregate aggregate;
    private final QueryExecution values;
    private final @Nullable Columns columns;

    /** Where a column is in batches. */
    private record Columns(SparkPlan plan, int column) {}

    private ColumnarCall(SketchAggregate aggregate, QueryExecution values, @Nullable Columns columns) {
        this.aggregate = aggregate;
        this.values = values;
        this.columns = columns;
    }

    /**
     * Plans a call. What SQL refuses is refused with the same message.
     *
     * @throws IllegalArgumentException if the column is not a single aggregate of Perhaps
     */
    public static ColumnarCall of(Dataset<Row> rows, Column call) {
        if (rows.isStreaming()) {
            throw new IllegalArgumentException(
                    "a stream has no end, and one frame of all rows is asked for: use agg with the stream");
        }
        LogicalPlan analyzed = rows.agg(call).queryExecution().analyzed();
        if (!(analyzed instanceof Aggregate all) || all.aggregateExpressions().length() != 1) {
            throw refused(call);
        }
        Expression only = (Expression) all.aggregateExpressions().apply(0);
        Expression named = only instanceof Alias alias ? alias.child() : only;
        if (!(named instanceof AggregateExpression expression)
                || !(expression.aggregateFunction() instanceof SketchAggregate function)
                || expression.isDistinct()
                || expression.filter().isDefined()) {
            throw refused(call);
        }
        Expression value = function.children().apply(0);
        NamedExpression column = value instanceof NamedExpression known
                ? known
                : new Alias(
                        value,
                        "value",
                        NamedExpression.newExprId(),
                        ScalaSeqs.of(List.of()),
                        Option.empty(),
                        ScalaSeqs.of(List.of()));
        QueryExecution values = org.apache.spark.sql.classic.Dataset$.MODULE$
                .ofRows(
                        (org.apache.spark.sql.classic.SparkSession) rows.sparkSession(),
                        new Project(ScalaSeqs.of(List.of(column)), all.child()))
                .queryExecution();
        return new ColumnarCall(function.of(column.toAttribute()), values, columns(values.executedPlan()));
    }

    private static IllegalArgumentException refused(Column call) {
        return new IllegalArgumentException("one aggregate of Perhaps is needed, as perhaps_filter(customer), without"
                + " DISTINCT and FILTER, got " + call + ": use agg for others");
    }

    private static @Nullable Columns columns(SparkPlan root) {
        SparkPlan plan = root;
        Attribute column = plan.output().apply(0);
        while (!plan.supportsColumnar()) {
            if (plan instanceof WholeStageCodegenExec
                    || plan instanceof InputAdapter
                    || plan instanceof ColumnarToRowExec) {
                plan = plan.children().apply(0);
            } else if (plan instanceof ProjectExec project
                    && project.projectList().length() == 1) {
                Expression only = (Expression) project.projectList().apply(0);
                if (!((only instanceof Alias alias ? alias.child() : only) instanceof Attribute source)) {
                    return null;
                }
                column = source;
                plan = project.child();
            } else {
                return null;
            }
        }
        List<Attribute> output = ScalaSeqs.list(plan.output());
        for (int i = 0; i < output.size(); i++) {
            if (output.get(i).exprId().equals(column.exprId())) {
                return new Columns(plan, i);
            }
        }
        return null;
    }

    /** True if columns are read in batches, false if rows are. */
    public boolean isColumnar() {
        return columns != null;
    }

    /** Computes the frame; null if the aggregate has none. */
    public byte @Nullable [] frame() {
        Function0<byte @Nullable []> job = this::run;
        return SQLExecution.withNewExecutionId(values, Option.apply(aggregate.prettyName() + " by columns"), job);
    }

    private byte @Nullable [] run() {
        SketchAggregate function = aggregate;
        JavaRDD<byte[]> states = states();
        int left = states.getNumPartitions();
        while (left > MERGED_AT_ONCE) {
            int next = (left - 1) / MERGED_AT_ONCE + 1;
            states = gathered(states, next)
                    .mapPartitions(some -> one(merged(function, some).toBytes()));
            left = next;
        }
        if (left == 0) {
            return function.createAggregationBuffer().frame();
        }
        List<byte[]> frames = gathered(states, 1)
                .mapPartitions(some -> {
                    byte[] frame = merged(function, some).frame();
                    return frame == null ? Collections.emptyIterator() : one(frame);
                })
                .collect();
        return frames.isEmpty() ? null : frames.get(0);
    }

    private static JavaRDD<byte[]> gathered(JavaRDD<byte[]> states, int parts) {
        return states.mapPartitionsWithIndex((index, some) -> one(new Tuple2<>(index % parts, some.next())), true)
                .mapToPair(state -> state)
                .partitionBy(new HashPartitioner(parts))
                .values();
    }

    private static <T> Iterator<T> one(T element) {
        return List.of(element).iterator();
    }

    private JavaRDD<byte[]> states() {
        SketchAggregate function = aggregate;
        Columns known = columns;
        if (known != null) {
            int column = known.column();
            return known.plan().executeColumnar().toJavaRDD().mapPartitions(all -> {
                SketchState state = function.createAggregationBuffer();
                while (all.hasNext()) {
                    ColumnarBatch batch = all.next();
                    state.addColumn(batch.column(column), batch.numRows());
                }
                return one(state.toBytes());
            });
        }
        FlatMapFunction<Iterator<InternalRow>, byte[]> byRows = rows -> {
            SketchState state = function.createAggregationBuffer();
            DataType type = function.children().apply(0).dataType();
            while (rows.hasNext()) {
                InternalRow row = rows.next();
                if (!row.isNullAt(0)) {
                    state.add(row.get(0, type));
                }
            }
            return one(state.toBytes());
        };
        return values.toRdd().toJavaRDD().mapPartitions(byRows);
    }

    private static SketchState merged(SketchAggregate function, Iterator<byte[]> states) throws IOException {
        SketchState merged = function.createAggregationBuffer();
        while (states.hasNext()) {
            SketchState one = function.createAggregationBuffer();
            one.load(states.next());
            merged.merge(one);
        }
        return merged;
    }
}
