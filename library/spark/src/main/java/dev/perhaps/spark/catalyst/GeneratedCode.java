package dev.perhaps.spark.catalyst;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeBlock;
import org.apache.spark.sql.catalyst.expressions.codegen.JavaCode;

/** Java code that is put together from text and from code of Spark, which may still replace its variables. */
final class GeneratedCode {
    private final List<String> texts = new ArrayList<>();
    private final List<JavaCode> inputs = new ArrayList<>();
    private StringBuilder text = new StringBuilder();

    @CanIgnoreReturnValue
    GeneratedCode add(String more) {
        text.append(more);
        return this;
    }

    @CanIgnoreReturnValue
    GeneratedCode add(JavaCode code) {
        texts.add(text.toString());
        inputs.add(code);
        text = new StringBuilder();
        return this;
    }

    CodeBlock block() {
        List<String> all = new ArrayList<>(texts);
        all.add(text.toString());
        return new CodeBlock(ScalaSeqs.of(all), ScalaSeqs.of(inputs));
    }
}
