package dev.perhaps.spark.catalyst;

import dev.perhaps.key.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.CreateStruct;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.ScalarSubquery;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.expressions.Unevaluable;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.Complete$;
import org.apache.spark.sql.catalyst.optimizer.ColumnPruning;
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.HintInfo;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.RowLevelWrite;
import org.apache.spark.sql.catalyst.plans.logical.Subquery;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.datasources.v2.V2ScanRelationPushDown;
import scala.Option;
import scala.Tuple8;
import scala.collection.immutable.Seq;
import scala.math.BigInt;

/**
 * Puts a filter of the smaller side's keys in front of the larger side of a join that would be shuffled, if
 * {@code spark.perhaps.bloomJoin} is {@code auto} (default: off). It never changes a result: a row is dropped only if
 * it certainly has no partner. What it cannot judge stays as it is.
 */
public final class BloomJoinRule extends Rule<LogicalPlan> {
    /*
     *     Join(big, small)   becomes   Join(Filter(probe((SELECT join_filter(key) FROM small), key), big), small)
     *
     * The scalar subquery is computed before the stage that reads the larger side, with and without adaptive execution,
     * and Spark's later rules push the filter down to the scan.
     *
     * The smaller side is read twice, and both readings must have the same rows. Hence the short list of nodes that it
     * may consist of: not a limit, a sample, a window or an aggregate whose value may depend on the order of rows, nor
     * an RDD or a cached plan, which may have come from anything, nor a table of a database, which may change in
     * between. A join is not on the list since it would be computed twice.
     *
     * The rule runs before V2 sources become scans, and Spark's rule for that does not look into new subqueries: it is
     * applied to the subquery here. Nor do later rules, which replace expressions that cannot be computed as they are,
     * such as functions of Python and changed fields of structs: a smaller side, or a key, with one of them is left
     * alone.
     */
    static final String SETTING = "spark.perhaps.bloomJoin";

    private static final int LEAST_RATIO = 4;
    private static final int MAX_FILTERS = 10;

    /** Made for each session. */
    public BloomJoinRule() {}

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        if (!conf().getConfString(SETTING, "off").toLowerCase(Locale.ROOT).equals("auto")
                || plan.isStreaming()
                || plan instanceof RowLevelWrite
                || plan instanceof Subquery subquery && subquery.correlated()) {
            return plan;
        }
        return new Rewriting().of(plan);
    }

    /** One plan on its way, with the number of filters that it got. */
    private final class Rewriting {
        private int filters;

        LogicalPlan of(LogicalPlan plan) {
            if (plan instanceof RowLevelWrite) {
                return plan;
            }
            List<LogicalPlan> children = new ArrayList<>();
            boolean isChanged = false;
            for (LogicalPlan child : ScalaSeqs.list(plan.children())) {
                LogicalPlan after = of(child);
                isChanged |= after != child;
                children.add(after);
            }
            LogicalPlan current = isChanged ? plan.withNewChildren(ScalaSeqs.of(children)) : plan;
            return current instanceof Join join && filters < MAX_FILTERS ? filtered(join) : current;
        }

        private LogicalPlan filtered(Join join) {
            Option<
                            Tuple8<
                                    org.apache.spark.sql.catalyst.plans.JoinType,
                                    Seq<Expression>,
                                    Seq<Expression>,
                                    Option<Expression>,
                                    Option<Expression>,
                                    LogicalPlan,
                                    LogicalPlan,
                                    org.apache.spark.sql.catalyst.plans.logical.JoinHint>>
                    found = ExtractEquiJoinKeys.unapply(join);
            if (found.isEmpty()
                    || isBroadcast(join.hint().leftHint())
                    || isBroadcast(join.hint().rightHint())) {
                return join;
            }
            List<Expression> leftKeys = ScalaSeqs.list(found.get()._2());
            List<Expression> rightKeys = ScalaSeqs.list(found.get()._3());
            String type = join.joinType().sql();
            LogicalPlan left = join.left();
            LogicalPlan right = join.right();
            boolean dropsLeft = List.of("INNER", "LEFT SEMI", "RIGHT OUTER").contains(type);
            boolean dropsRight =
                    List.of("INNER", "LEFT SEMI", "LEFT OUTER", "LEFT ANTI").contains(type);
            if (dropsLeft && isWorthwhile(left, leftKeys, right, rightKeys)) {
                filters++;
                LogicalPlan fewer = new Filter(probe(leftKeys, right, rightKeys), left);
                return join.copy(fewer, right, join.joinType(), join.condition(), join.hint());
            }
            if (dropsRight && isWorthwhile(right, rightKeys, left, leftKeys)) {
                filters++;
                LogicalPlan fewer = new Filter(probe(rightKeys, left, leftKeys), right);
                return join.copy(left, fewer, join.joinType(), join.condition(), join.hint());
            }
            return join;
        }
    }

    private static boolean isBroadcast(Option<HintInfo> hint) {
        return hint.isDefined()
                && hint.get().strategy().isDefined()
                && hint.get().strategy().get().toString().equals("broadcast");
    }

    private boolean isWorthwhile(LogicalPlan big, List<Expression> bigKeys, LogicalPlan small, List<Expression> keys) {
        if (hasProbe(big, bigKeys) || !isRepeatable(small) || big.isStreaming()) {
            return false;
        }
        for (int i = 0; i < keys.size(); i++) {
            if (!keys.get(i).deterministic() || !bigKeys.get(i).deterministic()) {
                return false;
            }
            if (!isComputedHere(keys.get(i)) || !isComputedHere(bigKeys.get(i))) {
                return false;
            }
        }
        if (one(bigKeys).references().isEmpty() || !isSameKey(one(bigKeys), one(keys))) {
            return false;
        }
        BigInt smallBytes = sizeInBytes(small);
        BigInt bigBytes = sizeInBytes(big);
        return smallBytes.$greater(BigInt.apply(conf().autoBroadcastJoinThreshold()))
                && bigBytes.$greater$eq(smallBytes.$times(BigInt.apply(LEAST_RATIO)));
    }

    private static BigInt sizeInBytes(LogicalPlan plan) {
        return V2ScanRelationPushDown.apply(plan).stats().sizeInBytes();
    }

    private static boolean isSameKey(Expression one, Expression other) {
        try {
            String name =
                    ColumnKey.of(one.dataType(), "", Key.DEFAULT_SEED).key().name();
            return name.equals(
                    ColumnKey.of(other.dataType(), "", Key.DEFAULT_SEED).key().name());
        } catch (IllegalArgumentException e) {
            return false; // values that cannot be hashed as Spark compares them
        }
    }

    private static boolean hasProbe(LogicalPlan plan, List<Expression> keys) {
        return plan instanceof Filter filter
                && filter.condition() instanceof JoinProbe probe
                && probe.key().semanticEquals(one(keys));
    }

    /** True if a second reading certainly has the same rows, and costs no join. */
    private static boolean isRepeatable(LogicalPlan plan) {
        boolean isKnown = plan instanceof Project
                || plan instanceof Filter
                || plan instanceof Union
                || RereadPlans.isFixedSource(plan)
                || plan instanceof Aggregate aggregate && isDistinct(aggregate);
        if (!isKnown || plan.isStreaming() || !plan.deterministic()) {
            return false;
        }
        for (Expression expression : ScalaSeqs.list(plan.expressions().toSeq())) {
            if (!isComputedHere(expression)) {
                return false;
            }
        }
        for (LogicalPlan child : ScalaSeqs.list(plan.children())) {
            if (!isRepeatable(child)) {
                return false;
            }
        }
        return true;
    }

    /** True if no later rule has to replace a part of it, and no other query is needed for it. */
    private static boolean isComputedHere(Expression expression) {
        return !SubqueryExpression.hasSubquery(expression)
                && !expression.exists(part -> part instanceof Unevaluable && !(part instanceof Attribute));
    }

    private static boolean isDistinct(Aggregate aggregate) {
        for (NamedExpression named : ScalaSeqs.list(aggregate.aggregateExpressions())) {
            if (((Expression) named).exists(part -> part instanceof AggregateExpression)) {
                return false;
            }
        }
        return true;
    }

    /** The key that is hashed: of several columns a struct. */
    private static Expression one(List<Expression> keys) {
        return keys.size() == 1 ? keys.get(0) : CreateStruct.create(ScalaSeqs.of(keys));
    }

    private static Expression probe(List<Expression> bigKeys, LogicalPlan small, List<Expression> keys) {
        SketchAggregate function = new SketchAggregate(JoinKeys.NAME, ScalaSeqs.of(List.of(one(keys))), 0, 0);
        Expression aggregate = new AggregateExpression(
                function, Complete$.MODULE$, false, Option.empty(), NamedExpression.newExprId());
        Alias named = new Alias(
                aggregate,
                "filter",
                NamedExpression.newExprId(),
                ScalaSeqs.of(List.of()),
                Option.empty(),
                ScalaSeqs.of(List.of()));
        LogicalPlan plan = V2ScanRelationPushDown.apply(ColumnPruning.apply(
                new Aggregate(ScalaSeqs.of(List.of()), ScalaSeqs.of(List.of(named)), small, Option.empty())));
        ScalarSubquery subquery = new ScalarSubquery(
                plan,
                ScalaSeqs.of(List.of()),
                NamedExpression.newExprId(),
                ScalaSeqs.of(List.of()),
                Option.empty(),
                Option.empty(),
                Option.empty());
        return new JoinProbe(subquery, one(bigKeys), JoinProbe.Mode.GIVES_UP);
    }
}
