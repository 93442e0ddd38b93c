package dev.perhaps.spark.catalyst;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;

/**
 * Lets a counted lookup count on one side of a join only. Since the keys of both sides are equal, Spark looks up those
 * of the right side too; that changes no result, and its rows must not be counted with those of the left side.
 */
public final class CountedOnceRule extends Rule<LogicalPlan> {
    /** Made for each session. */
    public CountedOnceRule() {}

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        Set<ProbeCounts> all = Collections.newSetFromMap(new IdentityHashMap<>());
        gather(plan, all);
        return all.isEmpty() ? plan : counted(plan);
    }

    private static LogicalPlan counted(LogicalPlan plan) {
        LogicalPlan current = plan;
        if (plan instanceof Join join) {
            Set<ProbeCounts> left = Collections.newSetFromMap(new IdentityHashMap<>());
            gather(join.left(), left);
            current =
                    join.copy(join.left(), without(join.right(), left), join.joinType(), join.condition(), join.hint());
        }
        List<LogicalPlan> children = new ArrayList<>();
        boolean isChanged = current != plan;
        for (LogicalPlan child : ScalaSeqs.list(current.children())) {
            LogicalPlan after = counted(child);
            isChanged |= after != child;
            children.add(after);
        }
        return isChanged ? current.withNewChildren(ScalaSeqs.of(children)) : plan;
    }

    private static void gather(LogicalPlan plan, Set<ProbeCounts> found) {
        if (plan instanceof Filter filter) {
            gather(filter.condition(), found);
        }
        ScalaSeqs.list(plan.children()).forEach(child -> gather(child, found));
    }

    private static void gather(Expression expression, Set<ProbeCounts> found) {
        if (expression instanceof JoinProbe probe && probe.counts() != null) {
            found.add(probe.counts());
        }
        ScalaSeqs.list(expression.children()).forEach(child -> gather(child, found));
    }

    private static LogicalPlan without(LogicalPlan plan, Set<ProbeCounts> counts) {
        List<LogicalPlan> children = new ArrayList<>();
        boolean isChanged = false;
        for (LogicalPlan child : ScalaSeqs.list(plan.children())) {
            LogicalPlan after = without(child, counts);
            isChanged |= after != child;
            children.add(after);
        }
        LogicalPlan current = isChanged ? plan.withNewChildren(ScalaSeqs.of(children)) : plan;
        if (!(current instanceof Filter filter)) {
            return current;
        }
        Expression condition = without(filter.condition(), counts);
        return condition == filter.condition() ? current : new Filter(condition, filter.child());
    }

    private static Expression without(Expression expression, Set<ProbeCounts> counts) {
        if (expression instanceof JoinProbe probe && probe.counts() != null && counts.contains(probe.counts())) {
            return probe.uncounted();
        }
        List<Expression> children = new ArrayList<>();
        boolean isChanged = false;
        for (Expression child : ScalaSeqs.list(expression.children())) {
            Expression after = without(child, counts);
            isChanged |= after != child;
            children.add(after);
        }
        return isChanged ? expression.withNewChildren(ScalaSeqs.of(children)) : expression;
    }
}
