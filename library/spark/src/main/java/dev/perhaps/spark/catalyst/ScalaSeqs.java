package dev.perhaps.spark.catalyst;

import java.util.List;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Between lists of Java and sequences of Scala. */
final class ScalaSeqs {
    private ScalaSeqs() {}

    static <T> List<T> list(Seq<T> sequence) {
        return CollectionConverters.asJava(sequence);
    }

    static <T> Seq<T> of(List<? extends T> list) {
        return scala.collection.immutable.Vector.from(CollectionConverters.<T>asScala(List.<T>copyOf(list)));
    }
}
