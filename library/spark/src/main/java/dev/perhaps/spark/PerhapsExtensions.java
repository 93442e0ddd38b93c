package dev.perhaps.spark;

import dev.perhaps.spark.catalyst.BloomJoinRule;
import dev.perhaps.spark.catalyst.CountedOnceRule;
import dev.perhaps.spark.catalyst.SqlFunction;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.runtime.BoxedUnit;

/**
 * Adds the functions {@code perhaps_*} and the rule {@code spark.perhaps.bloomJoin} to every session. Spark finds it by
 * itself if the jar is on the class path of the driver ({@code --jars}); as an alternative, set {@code
 * spark.sql.extensions=dev.perhaps.spark.PerhapsExtensions}. Doing both is harmless.
 */
public final class PerhapsExtensions implements SparkSessionExtensionsProvider {
    private static final Logger LOG = LoggerFactory.getLogger(PerhapsExtensions.class);

    /** Called by Spark. */
    public PerhapsExtensions() {}

    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        String problem = LibraryVersions.problem(PerhapsExtensions.class.getClassLoader());
        if (!problem.isEmpty()) {
            LOG.error(problem);
        }
        for (SqlFunction function : SqlFunction.all()) {
            function.register(extensions, problem);
        }
        if (problem.isEmpty()) {
            extensions.injectPreCBORule(session -> new BloomJoinRule());
            extensions.injectPreCBORule(session -> new CountedOnceRule());
        }
        return BoxedUnit.UNIT;
    }
}
