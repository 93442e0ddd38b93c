package dev.perhaps.spark.catalyst;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.expressions.NamedArgumentExpression;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** Arguments of a call in the order of the parameters, and the values of those that must be constants. */
final class Arguments {
    private final List<Parameter> parameters;
    private final List<Expression> given;

    Arguments(List<Parameter> parameters, List<Expression> given) {
        this.parameters = parameters;
        this.given = given;
    }

    /**
     * Puts arguments, the named ones too, in the order of the parameters, with defaults for those that are missing.
     *
     * @throws IllegalArgumentException if one is missing, unknown or given twice
     */
    static List<Expression> arrange(List<Parameter> parameters, List<Expression> given) {
        @Nullable Expression[] arranged = new Expression[parameters.size()];
        int position = 0;
        for (Expression argument : given) {
            int at;
            Expression value = argument;
            if (argument instanceof NamedArgumentExpression named) {
                at = indexOf(parameters, named.key());
                value = named.value();
            } else {
                at = position++;
            }
            if (at < 0 || at >= arranged.length) {
                String what = argument instanceof NamedArgumentExpression named
                        ? "there is no parameter '" + named.key() + "'"
                        : "at most " + arranged.length + " arguments are taken, got " + given.size();
                throw new IllegalArgumentException(what + ": the parameters are " + names(parameters));
            }
            if (arranged[at] != null) {
                throw new IllegalArgumentException(
                        "the parameter '" + parameters.get(at).name() + "' is given twice");
            }
            arranged[at] = value;
        }
        List<Expression> all = new ArrayList<>();
        for (int i = 0; i < arranged.length; i++) {
            Expression value = arranged[i];
            Parameter parameter = parameters.get(i);
            if (value == null && !parameter.isOptional()) {
                throw new IllegalArgumentException(
                        "the parameter '" + parameter.name() + "' is missing: the parameters are " + names(parameters));
            }
            all.add(value == null ? Literal$.MODULE$.apply(parameter.byDefault()) : value);
        }
        return all;
    }

    private static int indexOf(List<Parameter> parameters, String name) {
        for (int i = 0; i < parameters.size(); i++) {
            if (parameters.get(i).name().equalsIgnoreCase(name)) {
                return i;
            }
        }
        return -1;
    }

    private static String names(List<Parameter> parameters) {
        return String.join(", ", parameters.stream().map(Parameter::name).toList());
    }

    /** PIVOT gives every argument of an aggregate of binary values as {@code if(column <=> value, argument, null)}. */
    private static boolean isOfPivot(If choice) {
        return choice.predicate() instanceof EqualNullSafe
                && choice.trueValue().foldable()
                && choice.falseValue().foldable()
                && choice.falseValue().eval(null) == null;
    }

    private @Nullable Object constant(int at) {
        Expression expression =
                given.get(at) instanceof If choice && isOfPivot(choice) ? choice.trueValue() : given.get(at);
        if (!expression.foldable()) {
            throw new IllegalArgumentException(
                    "the parameter '" + parameters.get(at).name() + "' must be a constant, got " + expression.sql());
        }
        return expression.eval(null);
    }

    /** The value of a text parameter; null and missing are the empty string. */
    String text(int at) {
        Object value = constant(at);
        if (value == null) {
            return "";
        }
        if (value instanceof UTF8String text) {
            return text.toString();
        }
        throw new IllegalArgumentException(
                "the parameter '" + parameters.get(at).name() + "' must be a string, got " + value);
    }

    /** The value of a numeric parameter. */
    double number(int at) {
        Object value = constant(at);
        if (value instanceof Decimal decimal) {
            return decimal.toDouble();
        }
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        throw new IllegalArgumentException(
                "the parameter '" + parameters.get(at).name() + "' must be a number, got " + value);
    }

    /** The value of a parameter that is a whole number. */
    long whole(int at) {
        double value = number(at);
        if (value != Math.rint(value) || Math.abs(value) > 1L << 53) {
            Object exact = constant(at);
            if (exact instanceof Long number) {
                return number;
            }
            throw new IllegalArgumentException(
                    "the parameter '" + parameters.get(at).name() + "' must be a whole number, got " + exact);
        }
        return (long) value;
    }

    int wholeInt(int at) {
        long value = whole(at);
        if (value != (int) value) {
            throw new IllegalArgumentException(
                    "the parameter '" + parameters.get(at).name() + "' is too large, got " + value);
        }
        return (int) value;
    }

    /** True if an optional number was given. */
    boolean isGiven(int at) {
        return constant(at) != null;
    }
}
