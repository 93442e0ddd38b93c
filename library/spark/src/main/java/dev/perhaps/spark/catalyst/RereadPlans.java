package dev.perhaps.spark.catalyst;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.CTERelationDef;
import org.apache.spark.sql.catalyst.plans.logical.CTERelationRef;
import org.apache.spark.sql.catalyst.plans.logical.CollectMetrics;
import org.apache.spark.sql.catalyst.plans.logical.Deduplicate;
import org.apache.spark.sql.catalyst.plans.logical.Distinct;
import org.apache.spark.sql.catalyst.plans.logical.Except;
import org.apache.spark.sql.catalyst.plans.logical.Expand;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.Intersect;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Offset;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Range;
import org.apache.spark.sql.catalyst.plans.logical.RebalancePartitions;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionOperation;
import org.apache.spark.sql.catalyst.plans.logical.ResolvedHint;
import org.apache.spark.sql.catalyst.plans.logical.Sample;
import org.apache.spark.sql.catalyst.plans.logical.SerializeFromObject;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.catalyst.plans.logical.Tail;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.catalyst.plans.logical.WithCTE;
import org.apache.spark.sql.catalyst.trees.TreePattern;
import org.apache.spark.sql.execution.ExternalRDD;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.datasources.CatalogFileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.InMemoryFileIndex;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.FileTable;
import org.apache.spark.sql.execution.streaming.MetadataLogFileIndex;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.math.BigInt;
import scala.runtime.BoxedUnit;

/**
 * Finds out whether a plan certainly has the same rows when it is read again. What is not known to be so is not: a
 * join with a filter loses rows if the filter was built from other rows than those that are joined.
 */
public final class RereadPlans {
    private static final Set<String> MOMENTS = Set.of("now", "today", "tomorrow", "yesterday");

    private RereadPlans() {}

    /**
     * What makes the rows of a dataset differ between two readings, in some words; an empty string if nothing does. Its
     * plan is taken as it was analyzed, before the optimizer replaces what is different in every query, such as the
     * time.
     */
    public static String difference(Dataset<Row> rows) {
        return difference(rows.queryExecution().analyzed());
    }

    /** The bytes that Spark's statistics expect, if it has any. */
    public static OptionalLong expectedBytes(Dataset<Row> rows) {
        BigInt bytes = rows.queryExecution().optimizedPlan().stats().sizeInBytes();
        // Spark takes the largest size for unknown ones, and multiplies sizes for joins.
        return bytes.bitLength() > 60 ? OptionalLong.empty() : OptionalLong.of(bytes.toLong());
    }

    private static String difference(LogicalPlan plan) {
        String here = plan.isStreaming() ? "it is a stream" : ownDifference(plan);
        if (!here.isEmpty()) {
            return here;
        }
        for (Expression expression : ScalaSeqs.list(plan.expressions().toSeq())) {
            String inside = difference(expression);
            if (!inside.isEmpty()) {
                return inside;
            }
        }
        for (LogicalPlan child : ScalaSeqs.list(plan.children())) {
            String below = difference(child);
            if (!below.isEmpty()) {
                return below;
            }
        }
        return "";
    }

    private static String ownDifference(LogicalPlan plan) {
        if (plan instanceof LogicalRDD rdd) {
            return rdd.rdd().isCheckpointed() ? "" : "an RDD";
        }
        if (plan instanceof ExternalRDD<?> rdd) {
            return rdd.rdd().isCheckpointed() ? "" : "an RDD";
        }
        if (plan instanceof GlobalLimit
                || plan instanceof LocalLimit
                || plan instanceof Offset
                || plan instanceof Tail) {
            return "LIMIT";
        }
        if (plan instanceof Sample) {
            return "a sample";
        }
        if (plan instanceof LogicalRelation relation
                && relation.relation() instanceof HadoopFsRelation files
                && files.location() instanceof CatalogFileIndex) {
            return "a catalog table with partitions, whose files are listed again";
        }
        if (plan instanceof Aggregate aggregate) {
            return differenceOfAggregates(aggregate);
        }
        boolean isKnown = isFixedSource(plan)
                || plan instanceof Project
                || plan instanceof Filter
                || plan instanceof Union
                || plan instanceof Join
                || plan instanceof Distinct
                || plan instanceof Deduplicate copies && isByAllColumns(copies)
                || plan instanceof Intersect
                || plan instanceof Except
                || plan instanceof Expand
                || plan instanceof Generate
                || plan instanceof Sort
                || plan instanceof RepartitionOperation
                || plan instanceof RebalancePartitions
                || plan instanceof CollectMetrics
                || plan instanceof ResolvedHint
                || plan instanceof SubqueryAlias
                || plan instanceof View
                || plan instanceof WithCTE
                || plan instanceof CTERelationDef
                || plan instanceof CTERelationRef
                || plan instanceof SerializeFromObject
                || plan instanceof OneRowRelation;
        return isKnown ? "" : plan.nodeName();
    }

    /** True for a source that has the same rows whenever it is read. */
    static boolean isFixedSource(LogicalPlan plan) {
        return plan instanceof LogicalRelation relation && isListedOnce(relation)
                || plan instanceof DataSourceV2Relation files && files.table() instanceof FileTable
                || plan instanceof LocalRelation
                || plan instanceof Range;
    }

    /**
     * Returns true for files whose names the plan knows. A table with partitions in a catalog is listed again by every
     * reading, and so may be the tables of other libraries, which have an index of their own.
     */
    private static boolean isListedOnce(LogicalRelation relation) {
        return relation.relation() instanceof HadoopFsRelation files
                && (files.location() instanceof InMemoryFileIndex || files.location() instanceof MetadataLogFileIndex);
    }

    /** Otherwise the other columns come from any of the copies. */
    private static boolean isByAllColumns(Deduplicate copies) {
        return ScalaSeqs.list(copies.keys()).containsAll(ScalaSeqs.list(copies.output()));
    }

    /** Aggregates that do not depend on the order of rows: sums of floats do. */
    private static String differenceOfAggregates(Aggregate aggregate) {
        for (NamedExpression named : ScalaSeqs.list(aggregate.aggregateExpressions())) {
            for (AggregateFunction function : functions((Expression) named)) {
                DataType type = function.dataType();
                boolean isFloat = type.equals(DataTypes.DoubleType) || type.equals(DataTypes.FloatType);
                boolean isFixed = function instanceof Count
                        || function instanceof Min
                        || function instanceof Max
                        || function instanceof Sum && !isFloat;
                if (!isFixed) {
                    return "the aggregate " + function.prettyName();
                }
            }
        }
        return "";
    }

    private static List<AggregateFunction> functions(Expression expression) {
        List<AggregateFunction> found = new ArrayList<>();
        expression.foreach(part -> {
            if (part instanceof AggregateExpression aggregate) {
                found.add(aggregate.aggregateFunction());
            }
            return BoxedUnit.UNIT;
        });
        return found;
    }

    private static String difference(Expression expression) {
        if (expression instanceof SubqueryExpression subquery) {
            String inside = difference(subquery.plan());
            if (!inside.isEmpty()) {
                return inside;
            }
        }
        for (Expression child : ScalaSeqs.list(expression.children())) {
            String inside = difference(child);
            if (!inside.isEmpty()) {
                return inside;
            }
        }
        boolean isOfThisMoment = expression.nodePatterns().contains(TreePattern.CURRENT_LIKE()) || isNow(expression);
        return expression.deterministic() && !isOfThisMoment ? "" : expression.prettyName() + "()";
    }

    /** Returns true for texts such as 'today' as a time, which every query replaces by a time of its own. */
    private static boolean isNow(Expression expression) {
        if (!(expression instanceof Cast cast)
                || !cast.child().foldable()
                || !cast.child().dataType().equals(DataTypes.StringType)) {
            return false;
        }
        DataType type = cast.dataType();
        boolean isTime = type.equals(DataTypes.DateType)
                || type.equals(DataTypes.TimestampType)
                || type.equals(DataTypes.TimestampNTZType);
        // Any other text that is computed is refused too: it would have to be computed here.
        return isTime
                && !(cast.child() instanceof Literal literal
                        && MOMENTS.stream()
                                .noneMatch(
                                        String.valueOf(literal.value()).strip().toLowerCase(Locale.ROOT)::startsWith));
    }
}
