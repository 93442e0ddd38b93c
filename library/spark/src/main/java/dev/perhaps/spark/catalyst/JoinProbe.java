package dev.perhaps.spark.catalyst;

import dev.perhaps.membership.HashFilter;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/**
 * True unless a key certainly has no partner in a join: the first child is the filter of {@link JoinKeys}, the second
 * the key. A null key has no partner; without a filter every key may have one. It is never null.
 */
public final class JoinProbe extends Expression implements Serializable {
    private final Expression filter;
    private final Expression key;

    private final Mode mode;

    private transient @Nullable Lookup lookup;

    /**
     * What is done besides looking up.
     *
     * @param givesUp true if a task in which most rows pass stops asking and lets all others pass, which a filter in
     *     front of a join that drops them anyhow may do
     * @param counts where rows are counted
     */
    public record Mode(boolean givesUp, @Nullable ProbeCounts counts) implements Serializable {
        static final Mode GIVES_UP = new Mode(true, null);
        static final Mode UNCOUNTED = new Mode(false, null);
    }

    /** Spark copies expressions by calling this with the elements of the product. */
    public JoinProbe(Expression filter, Expression key, Mode mode) {
        this.filter = filter;
        this.key = key;
        this.mode = mode;
    }

    /** A condition of rows whose key is looked up in a frame and counted. */
    public static Column counted(byte[] frame, Column key, ProbeCounts counts) {
        Expression filter = Literal$.MODULE$.apply(frame);
        return ExpressionUtils.column(new JoinProbe(filter, ExpressionUtils.expression(key), new Mode(false, counts)));
    }

    /** Where rows are counted, or null. */
    @Nullable
    ProbeCounts counts() {
        return mode.counts();
    }

    /** The same lookup, which counts nothing. */
    JoinProbe uncounted() {
        return new JoinProbe(filter, key, Mode.UNCOUNTED);
    }

    /** The lookups of one task. Generated code calls it. */
    public static final class Lookup implements Serializable {
        private static final int TRIAL_ROWS = 1 << 14;
        private static final double MOST_PASSING = 0.9;

        private final ScalarCall call;
        private final Mode mode;
        private final @Nullable ProbeCounts counts;
        private int asked;
        private int passed;
        private boolean isUseless;

        Lookup(DataType filter, DataType key, Mode mode) {
            this.mode = mode;
            this.counts = mode.counts();
            call = new ScalarCall(ScalarFunctions.MIGHT_CONTAIN, new DataType[] {filter, key});
        }

        /** Whether a row with this key may have a partner. */
        public boolean passes(byte[] frame, Object value) {
            if (isUseless) {
                return true;
            }
            HashFilter<?> known = call.filter(frame);
            return counted(known.mightContainHash(call.keyIn(known.key()).hash(value)));
        }

        /** The same for a whole number, without boxing. */
        public boolean passesNumber(byte[] frame, long value) {
            return isUseless || counted(call.mightContain(frame, value));
        }

        /** A row whose key is null passes not. */
        public boolean passesNull() {
            return counts != null && counted(false);
        }

        private boolean counted(boolean passes) {
            if (counts != null) {
                counts.count(passes);
            } else if (mode.givesUp() && asked < TRIAL_ROWS) {
                asked++;
                passed += passes ? 1 : 0;
                isUseless = asked == TRIAL_ROWS && passed > MOST_PASSING * TRIAL_ROWS;
            }
            return passes;
        }
    }

    private Lookup newLookup() {
        return new Lookup(filter.dataType(), key.dataType(), mode);
    }

    Expression key() {
        return key;
    }

    @Override
    public Object eval(InternalRow input) {
        Object frame = filter.eval(input);
        if (frame == null) {
            return true;
        }
        Object value = key.eval(input);
        Lookup known = lookup;
        if (known == null) {
            known = newLookup();
            lookup = known;
        }
        return value == null ? known.passesNull() : known.passes((byte[]) frame, value);
    }

    @Override
    public ExprCode doGenCode(CodegenContext context, ExprCode code) {
        String reference = context.addReferenceObj("probe", newLookup(), Lookup.class.getName());
        ExprCode frame = filter.genCode(context);
        ExprCode value = key.genCode(context);
        boolean isNumber = ColumnKey.of(key.dataType(), "", 0).isNumber();
        boolean isBoxed = !isNumber && CodeGenerator.isPrimitiveType(key.dataType());
        GeneratedCode text = new GeneratedCode();
        text.add("boolean ").add(code.isNull()).add(" = false;\nboolean ").add(code.value());
        text.add(" = true;\n")
                .add(frame.code())
                .add("\nif (!")
                .add(frame.isNull())
                .add(") {\n");
        text.add(value.code()).add("\n").add(code.value()).add(" = ").add(value.isNull());
        text.add(" ? " + reference + ".passesNull() : " + reference + (isNumber ? ".passesNumber(" : ".passes("))
                .add(frame.value());
        text.add(", " + (isBoxed ? CodeGenerator.boxedType(key.dataType()) + ".valueOf(" : "("));
        text.add(value.value()).add("));\n}\n");
        return code.copy(text.block(), code.isNull(), code.value());
    }

    @Override
    public DataType dataType() {
        return DataTypes.BooleanType;
    }

    @Override
    public boolean nullable() {
        return false;
    }

    @Override
    public boolean foldable() {
        return false;
    }

    @Override
    public String prettyName() {
        return "perhaps_join_probe";
    }

    @Override
    public String nodeName() {
        return prettyName();
    }

    @Override
    public Seq<Expression> children() {
        return ScalaSeqs.of(List.of(filter, key));
    }

    @Override
    public Expression withNewChildrenInternal(IndexedSeq<Expression> newChildren) {
        return new JoinProbe(newChildren.apply(0), newChildren.apply(1), mode);
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
        return List.of(filter, key, mode);
    }

    @Override
    public boolean canEqual(Object that) {
        return that instanceof JoinProbe;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof JoinProbe that && elements().equals(that.elements());
    }

    @Override
    public int hashCode() {
        return elements().hashCode();
    }
}
