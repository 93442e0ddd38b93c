package dev.perhaps.spark.catalyst;

import java.io.UncheckedIOException;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.Expression;
import scala.collection.immutable.Seq;

/** Turns what the library refuses into what Spark reports while it plans. */
final class Checks {
    private Checks() {}

    /** Runs a check, unless arguments are not resolved yet: then it is called again. */
    static TypeCheckResult passes(Seq<Expression> children, Runnable check) {
        for (Expression child : ScalaSeqs.list(children)) {
            if (!child.resolved()) {
                return TypeCheckResult.TypeCheckSuccess$.MODULE$;
            }
        }
        try {
            check.run();
            return TypeCheckResult.TypeCheckSuccess$.MODULE$;
        } catch (IllegalArgumentException | IllegalStateException | UncheckedIOException e) {
            return new TypeCheckResult.TypeCheckFailure(String.valueOf(e.getMessage()));
        }
    }
}
