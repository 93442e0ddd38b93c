package dev.perhaps.spark.catalyst;

import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import org.apache.spark.sql.types.BinaryType$;
import org.apache.spark.sql.types.DataType;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/**
 * All aggregates of Perhaps in Spark's plans: the first child is the column, the others are constants. The {@link
 * Recipe} of the function defines what is built; it is created again from the constants wherever the plan is sent.
 */
public final class SketchAggregate extends TypedImperativeAggregate<SketchState> implements Serializable {
    private final String function;
    private final Seq<Expression> children;
    private final int mutableAggBufferOffset;
    private final int inputAggBufferOffset;

    private transient @Nullable Recipe recipe;

    /** Spark copies expressions by calling this with the elements of the product. */
    public SketchAggregate(
            String function, Seq<Expression> children, int mutableAggBufferOffset, int inputAggBufferOffset) {
        this.function = function;
        this.children = children;
        this.mutableAggBufferOffset = mutableAggBufferOffset;
        this.inputAggBufferOffset = inputAggBufferOffset;
    }

    /** The same aggregate of another column. */
    SketchAggregate of(Expression column) {
        List<Expression> others = new ArrayList<>(ScalaSeqs.list(children));
        others.set(0, column);
        return new SketchAggregate(function, ScalaSeqs.of(others), mutableAggBufferOffset, inputAggBufferOffset);
    }

    private Recipe recipe() {
        Recipe known = recipe;
        if (known == null) {
            known = function.equals(JoinKeys.NAME)
                    ? () -> new JoinKeys(ColumnKey.of(children.apply(0).dataType(), "", Key.DEFAULT_SEED))
                    : AggregateFunctions.named(function).recipe(ScalaSeqs.list(children));
            recipe = known;
        }
        return known;
    }

    @Override
    public TypeCheckResult checkInputDataTypes() {
        return Checks.passes(children, () -> Objects.requireNonNull(recipe().start()));
    }

    @Override
    public SketchState createAggregationBuffer() {
        return recipe().start();
    }

    @Override
    public SketchState update(SketchState buffer, InternalRow input) {
        Object value = children.apply(0).eval(input);
        if (value != null) {
            buffer.add(value);
        }
        return buffer;
    }

    @Override
    public SketchState merge(SketchState buffer, SketchState input) {
        buffer.merge(input);
        return buffer;
    }

    @Override
    public byte @Nullable [] eval(SketchState buffer) {
        return buffer.frame();
    }

    @Override
    public byte[] serialize(SketchState buffer) {
        return buffer.toBytes();
    }

    @Override
    public SketchState deserialize(byte[] bytes) {
        SketchState state = recipe().start();
        try {
            state.load(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
        return state;
    }

    @Override
    public DataType dataType() {
        return BinaryType$.MODULE$;
    }

    @Override
    public boolean nullable() {
        return true;
    }

    @Override
    public String prettyName() {
        return function;
    }

    @Override
    public String nodeName() {
        return function;
    }

    @Override
    public Seq<Expression> children() {
        return children;
    }

    @Override
    public Expression withNewChildrenInternal(IndexedSeq<Expression> newChildren) {
        return new SketchAggregate(function, newChildren, mutableAggBufferOffset, inputAggBufferOffset);
    }

    @Override
    public int mutableAggBufferOffset() {
        return mutableAggBufferOffset;
    }

    @Override
    public int inputAggBufferOffset() {
        return inputAggBufferOffset;
    }

    @Override
    public ImperativeAggregate withNewMutableAggBufferOffset(int offset) {
        return new SketchAggregate(function, children, offset, inputAggBufferOffset);
    }

    @Override
    public ImperativeAggregate withNewInputAggBufferOffset(int offset) {
        return new SketchAggregate(function, children, mutableAggBufferOffset, offset);
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
        return List.of(function, children, mutableAggBufferOffset, inputAggBufferOffset);
    }

    @Override
    public boolean canEqual(Object that) {
        return that instanceof SketchAggregate;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SketchAggregate that && elements().equals(that.elements());
    }

    @Override
    public int hashCode() {
        return elements().hashCode();
    }
}
