package dev.perhaps.spark.catalyst;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import scala.Function1;
import scala.Tuple3;
import scala.collection.immutable.Seq;

/** A function of SQL: its name, parameters and help, and the expression that a call becomes. */
public final class SqlFunction {
    static final String AGGREGATES = "agg_funcs";
    static final String SCALARS = "misc_funcs";

    private static final String SINCE = "0.1.0";

    private final String name;
    private final List<Parameter> parameters;
    private final String usage;
    private final String examples;
    private final String group;
    private final Function<List<Expression>, Expression> build;

    SqlFunction(
            String name,
            List<Parameter> parameters,
            String usage,
            String examples,
            String group,
            Function<List<Expression>, Expression> build) {
        this.name = name;
        this.parameters = parameters;
        this.usage = usage;
        this.examples = examples;
        this.group = group;
        this.build = build;
    }

    /** All functions. */
    public static List<SqlFunction> all() {
        List<SqlFunction> all = new ArrayList<>();
        for (AggregateFunctions function : AggregateFunctions.values()) {
            all.add(function.described());
        }
        for (ScalarFunctions function : ScalarFunctions.values()) {
            all.add(function.described());
        }
        return all;
    }

    /** The name in SQL. */
    public String name() {
        return name;
    }

    /** Adds the function to a session. If there is a problem, each call is refused with it. */
    public void register(SparkSessionExtensions extensions, String problem) {
        Function1<Seq<Expression>, Expression> builder = given -> expression(ScalaSeqs.list(given), problem);
        extensions.injectFunction(new Tuple3<>(new FunctionIdentifier(name), info(), builder));
    }

    private Expression expression(List<Expression> given, String problem) {
        if (!problem.isEmpty()) {
            return new RefusedCall(name, ScalaSeqs.of(given), problem);
        }
        try {
            return build.apply(Arguments.arrange(parameters, given));
        } catch (IllegalArgumentException e) {
            return new RefusedCall(name, ScalaSeqs.of(given), String.valueOf(e.getMessage()));
        }
    }

    private ExpressionInfo info() {
        List<String> shown = new ArrayList<>();
        for (Parameter parameter : parameters) {
            Object value = parameter.byDefault();
            shown.add(
                    !parameter.isOptional()
                            ? parameter.name()
                            : "[" + parameter.name() + (value == null || value.equals("") ? "" : " => " + value) + "]");
        }
        String call = "_FUNC_(" + String.join(", ", shown) + ") - " + usage;
        return new ExpressionInfo(
                (group.equals(AGGREGATES) ? SketchAggregate.class : SketchFunction.class).getName(),
                "",
                name,
                call,
                "",
                "\n    Examples:\n      " + examples + "\n  ",
                "",
                group,
                SINCE,
                "",
                "built-in");
    }
}
