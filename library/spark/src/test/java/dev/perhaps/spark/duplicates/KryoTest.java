package dev.perhaps.spark.duplicates;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.SerializerInstance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** What is sent to tasks besides rows can be sent by Kryo too, with which many clusters are set up. */
@EnabledForJreRange(max = JRE.JAVA_21)
class KryoTest {
    @Test
    void clustersThatWereJoinedCanBeSent() {
        SerializerInstance kryo = new KryoSerializer(new SparkConf()).newInstance();
        Map<Object, IndexTable.Root> roots = new HashMap<>();
        roots.put("a", new IndexTable.Root(3, "b"));
        roots.put(Long.MIN_VALUE, new IndexTable.Root(0, 7L));
        ClassTag<Map<Object, IndexTable.Root>> type = ClassTag$.MODULE$.apply(Map.class);
        ByteBuffer bytes = kryo.serialize(roots, type);
        assertThat(kryo.<Map<Object, IndexTable.Root>>deserialize(bytes, type)).isEqualTo(roots);
    }
}
