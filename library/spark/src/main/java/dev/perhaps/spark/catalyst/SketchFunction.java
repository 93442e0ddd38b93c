package dev.perhaps.spark.catalyst;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.NullType;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** All scalar functions of Perhaps in Spark's plans. A null argument gives null. */
public final class SketchFunction extends Expression implements Serializable {
    /*
     * A frame that is a constant in the query is checked while the query is analyzed. The optimizer may replace a
     * column by its constant value; that frame is checked where it is read. An expression that is refused by then would
     * be an invalid plan to Spark, which does not tell why, and it may be one that is never computed.
     */
    private final ScalarFunctions function;
    private final Seq<Expression> children;
    private final boolean hasConstantFrame;

    private transient @Nullable ScalarCall call;

    /** Spark copies expressions by calling this with the elements of the product. */
    public SketchFunction(ScalarFunctions function, Seq<Expression> children, boolean hasConstantFrame) {
        this.function = function;
        this.children = children;
        this.hasConstantFrame = hasConstantFrame;
    }

    private ScalarCall newCall() {
        return new ScalarCall(
                function,
                ScalaSeqs.list(children).stream().map(Expression::dataType).toArray(DataType[]::new));
    }

    @Override
    public TypeCheckResult checkInputDataTypes() {
        return Checks.passes(children, () -> {
            function.check(newCall(), ScalaSeqs.list(children));
            if (hasConstantFrame) {
                function.checkFrame(newCall(), ScalaSeqs.list(children));
            }
        });
    }

    @Override
    public @Nullable Object eval(InternalRow input) {
        Object[] arguments = new Object[children.length()];
        for (int i = 0; i < arguments.length; i++) {
            Object value = children.apply(i).eval(input);
            if (value == null) {
                return null;
            }
            arguments[i] = value;
        }
        ScalarCall known = call;
        if (known == null) {
            known = newCall();
            call = known;
        }
        return known.apply(arguments);
    }

    @Override
    public ExprCode doGenCode(CodegenContext context, ExprCode code) {
        String reference = context.addReferenceObj("perhaps", newCall(), ScalarCall.class.getName());
        List<ExprCode> arguments = new ArrayList<>();
        for (Expression child : ScalaSeqs.list(children)) {
            arguments.add(child.genCode(context));
        }
        // boolean isNull = true; T value = default; <a>; if (!a.isNull) { <b>; if (!b.isNull) { value = …; } }
        GeneratedCode text = new GeneratedCode();
        String type = CodeGenerator.javaType(dataType());
        text.add("boolean ").add(code.isNull()).add(" = true;\n" + type + " ");
        text.add(code.value()).add(" = " + CodeGenerator.defaultValue(dataType(), false) + ";\n");
        for (ExprCode argument : arguments) {
            text.add(argument.code()).add("\nif (!").add(argument.isNull()).add(") {\n");
        }
        if (isDirect()) {
            text.add(code.value())
                    .add(" = " + reference + ".mightContain(")
                    .add(arguments.get(0).value());
            text.add(", ").add(arguments.get(1).value()).add(");\n");
            text.add(code.isNull()).add(" = false;\n");
        } else {
            String result = context.freshName("result");
            text.add("Object " + result + " = " + reference + ".apply(new Object[] {");
            for (int i = 0; i < arguments.size(); i++) {
                String boxed = CodeGenerator.boxedType(children.apply(i).dataType());
                boolean isPrimitive =
                        CodeGenerator.isPrimitiveType(children.apply(i).dataType());
                text.add(i == 0 ? "" : ", ").add(isPrimitive ? boxed + ".valueOf(" : "(");
                text.add(arguments.get(i).value()).add(")");
            }
            text.add("});\nif (" + result + " != null) {\n");
            text.add(code.value()).add(" = (" + CodeGenerator.boxedType(dataType()) + ") " + result + ";\n");
            text.add(code.isNull()).add(" = false;\n}\n");
        }
        text.add("}\n".repeat(arguments.size()));
        return code.copy(text.block(), code.isNull(), code.value());
    }

    /** True if a value goes to the filter as it is, without an object. */
    private boolean isDirect() {
        if (function != ScalarFunctions.MIGHT_CONTAIN || !(children.apply(0).dataType() instanceof BinaryType)) {
            return false;
        }
        if (children.apply(1).dataType() instanceof NullType) {
            return false;
        }
        ColumnKey key = ColumnKey.of(children.apply(1).dataType(), "", 0);
        return key.isNumber() || key.isUtf8();
    }

    @Override
    public DataType dataType() {
        return function.dataType();
    }

    @Override
    public boolean nullable() {
        return true;
    }

    @Override
    public boolean foldable() {
        for (Expression child : ScalaSeqs.list(children)) {
            if (!child.foldable()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String prettyName() {
        return function.sqlName();
    }

    @Override
    public String nodeName() {
        return function.sqlName();
    }

    @Override
    public Seq<Expression> children() {
        return children;
    }

    @Override
    public Expression withNewChildrenInternal(IndexedSeq<Expression> newChildren) {
        return new SketchFunction(function, newChildren, hasConstantFrame);
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
        return List.of(function, children, hasConstantFrame);
    }

    @Override
    public boolean canEqual(Object that) {
        return that instanceof SketchFunction;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SketchFunction that && elements().equals(that.elements());
    }

    @Override
    public int hashCode() {
        return elements().hashCode();
    }
}
