package dev.perhaps.spark.catalyst;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.NullType$;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** A call that cannot be made. Spark reports why when it checks the types of the query. */
public final class RefusedCall extends Expression implements Serializable {
    private final String function;
    private final Seq<Expression> children;
    private final String problem;

    /** Spark copies expressions by calling this with the elements of the product. */
    public RefusedCall(String function, Seq<Expression> children, String problem) {
        this.function = function;
        this.children = children;
        this.problem = problem;
    }

    @Override
    public TypeCheckResult checkInputDataTypes() {
        return new TypeCheckResult.TypeCheckFailure(problem);
    }

    @Override
    public DataType dataType() {
        return NullType$.MODULE$;
    }

    @Override
    public boolean nullable() {
        return true;
    }

    @Override
    public Object eval(InternalRow input) {
        throw new IllegalStateException(problem);
    }

    @Override
    public ExprCode doGenCode(CodegenContext context, ExprCode code) {
        throw new IllegalStateException(problem);
    }

    @Override
    public String prettyName() {
        return function;
    }

    @Override
    public Seq<Expression> children() {
        return children;
    }

    @Override
    public Expression withNewChildrenInternal(IndexedSeq<Expression> newChildren) {
        return new RefusedCall(function, newChildren, problem);
    }

    @Override
    public int productArity() {
        return elements().size();
    }

    @Override
    public Object productElement(int n) {
        return elements().get(n);
    }

    private List<Object> elements() {
        return List.of(function, children, problem);
    }

    @Override
    public boolean canEqual(Object that) {
        return that instanceof RefusedCall;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RefusedCall that && elements().equals(that.elements());
    }

    @Override
    public int hashCode() {
        return elements().hashCode();
    }
}
