package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.probabilistic.IncrementPair;
import io.lettuce.core.probabilistic.MergePair;
import io.lettuce.core.probabilistic.ScanDumpValue;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.ProtocolVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.Redisson;
import org.redisson.api.RBloomFilterNative;
import org.redisson.api.RCuckooFilter;
import org.redisson.api.RTDigest;
import org.redisson.api.RTopK;
import org.redisson.api.RedissonClient;
import org.redisson.api.bloomfilter.BloomFilterInfoOption;
import org.redisson.api.bloomfilter.BloomFilterInsertArgs;
import org.redisson.api.bloomfilter.BloomFilterScanDumpInfo;
import org.redisson.api.cuckoofilter.CuckooFilterAddArgs;
import org.redisson.client.codec.StringCodec;
import org.redisson.client.protocol.RedisStrictCommand;
import org.redisson.client.protocol.decoder.ObjectListReplayDecoder;
import org.redisson.command.CommandAsyncExecutor;
import org.redisson.config.Config;
import org.redisson.config.Protocol;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.bloom.BFInsertParams;
import redis.clients.jedis.bloom.BFReserveParams;

/** The clients that people have, unchanged, through their own methods. */
class ClientsIT {
    private static SketchServer server;

    @TempDir
    Path folder;

    @TempDir
    static Path data;

    @BeforeAll
    static void open() throws IOException {
        server = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directory(data)
                .open();
    }

    @AfterAll
    static void close() {
        server.close();
    }

    @BeforeEach
    void clear() throws IOException {
        try (Wire wire = new Wire(server.address())) {
            wire.call("FLUSHALL");
        }
    }

    private static int port() {
        return server.address().getPort();
    }

    @ParameterizedTest
    @EnumSource(
            value = RedisProtocol.class,
            names = {"RESP2", "RESP3"})
    @SuppressWarnings("deprecation") // sendCommand is what people use
    void jedis(RedisProtocol protocol) throws IOException {
        try (UnifiedJedis jedis = redis.clients.jedis.RedisClient.builder()
                .hostAndPort("127.0.0.1", port())
                .clientConfig(
                        DefaultJedisClientConfig.builder().protocol(protocol).build())
                .build()) {
            RawCommands commands = RawCommands.after(server);
            assertThat(jedis.bfReserve("b", 0.01, 100)).isEqualTo("OK");
            assertThat(jedis.bfReserve(
                            "n", 0.001, 10, BFReserveParams.reserveParams().nonScaling()))
                    .isEqualTo("OK");
            assertThat(jedis.bfAdd("b", "x")).isTrue();
            assertThat(jedis.bfAdd("b", "x")).isFalse();
            assertThat(jedis.bfMAdd("b", "x", "y")).containsExactly(false, true);
            assertThat(jedis.bfInsert("b", "y", "z")).containsExactly(false, true);
            assertThat(jedis.bfInsert(
                            "i", BFInsertParams.insertParams().capacity(500).error(0.001), "y"))
                    .containsExactly(true);
            assertThat(jedis.bfExists("b", "z")).isTrue();
            assertThat(jedis.bfMExists("b", "z", "absent")).containsExactly(true, false);
            assertThat(jedis.bfCard("b")).isEqualTo(3);
            assertThat(jedis.bfInfo("i")).containsEntry("Capacity", 500L).containsEntry("Number of filters", 1L);
            for (long at = 0; ; ) {
                Map.Entry<Long, byte[]> part = jedis.bfScanDump("b", at);
                at = part.getKey();
                if (at == 0) {
                    break;
                }
                assertThat(jedis.bfLoadChunk("bb", at, part.getValue())).isEqualTo("OK");
            }
            assertThat(jedis.bfMExists("bb", "x", "y", "z", "absent")).containsExactly(true, true, true, false);
            assertThat(jedis.type("b")).isEqualTo("MBbloom--");
            assertThat(jedis.cfReserve("c", 100)).isEqualTo("OK");
            assertThat(jedis.cfAdd("c", "x")).isTrue();
            assertThat(jedis.cfAddNx("c", "x")).isFalse();
            assertThat(jedis.cfInsert("c", "x", "y")).containsExactly(true, true);
            assertThat(jedis.cfInsertNx("c", "y", "z")).containsExactly(false, true);
            assertThat(jedis.cfExists("c", "z")).isTrue();
            for (long at = 0; ; ) {
                Map.Entry<Long, byte[]> part = jedis.cfScanDump("c", at);
                at = part.getKey();
                if (at == 0) {
                    break;
                }
                assertThat(jedis.cfLoadChunk("cc", at, part.getValue())).isEqualTo("OK");
            }
            assertThat(jedis.cfMExists("cc", "x", "y", "z", "absent")).containsExactly(true, true, true, false);
            assertThat(jedis.cfCount("c", "x")).isEqualTo(2);
            assertThat(jedis.cfMExists("c", "z", "absent")).containsExactly(true, false);
            assertThat(jedis.cfDel("c", "z")).isTrue();
            assertThat(jedis.cfInfo("c")).containsEntry("Number of items inserted", 3L);
            assertThat(jedis.cmsInitByProb("f", 0.001, 0.01)).isEqualTo("OK");
            assertThat(jedis.cmsInitByDim("d", 2_000, 7)).isEqualTo("OK");
            assertThat(jedis.cmsIncrBy("d", Map.of("y", 3L))).containsExactly(3L);
            assertThat(jedis.cmsIncrBy("f", "x", 5)).isEqualTo(5);
            assertThat(jedis.cmsQuery("f", "x", "absent")).containsExactly(5L, 0L);
            assertThat(jedis.cmsMerge("f", "f")).isEqualTo("OK");
            assertThat(jedis.cmsInfo("f")).containsEntry("width", 2000L).containsEntry("count", 5L);
            assertThat(jedis.cmsMerge("d", Map.of("f", 2L, "d", 1L))).isEqualTo("OK");
            assertThat(jedis.cmsQuery("d", "x", "y")).containsExactly(10L, 3L);
            assertThat(jedis.topkReserve("t", 2, 1000, 7, 0.925)).isEqualTo("OK");
            assertThat(jedis.topkAdd("t", "x", "x", "y")).containsExactly(null, null, null);
            assertThat(jedis.topkIncrBy("t", "z", 9)).isEqualTo("y");
            assertThat(jedis.topkQuery("t", "x", "y")).containsExactly(true, false);
            assertThat(jedis.topkList("t")).containsExactly("z", "x");
            assertThat(jedis.topkListWithCount("t")).containsEntry("z", 9L);
            assertThat(jedis.topkInfo("t")).containsEntry("k", 2L);
            assertThat(jedis.tdigestCreate("q", 100)).isEqualTo("OK");
            assertThat(jedis.tdigestAdd("q", 1, 2, 3, 4)).isEqualTo("OK");
            assertThat(jedis.tdigestCreate("r")).isEqualTo("OK");
            assertThat(jedis.tdigestMerge("r", "q", "q")).isEqualTo("OK");
            assertThat(jedis.tdigestInfo("r")).containsEntry("Observations", 8L);
            assertThat(jedis.tdigestReset("r")).isEqualTo("OK");
            assertThat(jedis.tdigestMin("q")).isEqualTo(1);
            assertThat(jedis.tdigestMax("q")).isEqualTo(4);
            assertThat(jedis.tdigestMin("r")).isNaN();
            assertThat(jedis.tdigestQuantile("q", 0.5, 1)).containsExactly(3.0, 4.0);
            assertThat(jedis.tdigestCDF("q", 2.5)).containsExactly(0.5);
            assertThat(jedis.tdigestTrimmedMean("q", 0.25, 0.75)).isEqualTo(2.5);
            assertThat(jedis.tdigestRank("q", 0, 2, 9)).containsExactly(-1L, 1L, 4L);
            assertThat(jedis.tdigestRevRank("q", 0, 2, 9)).containsExactly(4L, 2L, -1L);
            assertThat(jedis.tdigestByRank("q", 0, 4)).containsExactly(1.0, Double.POSITIVE_INFINITY);
            assertThat(jedis.tdigestByRevRank("q", 0, 4)).containsExactly(4.0, Double.NEGATIVE_INFINITY);
            assertThat(jedis.del("c", "f", "t", "q", "r", "bb", "cc", "d")).isEqualTo(8);
            assertThat(jedis.pfadd("p", "x", "y")).isEqualTo(1);
            assertThat(jedis.pfmerge("p2", "p")).isEqualTo("OK");
            assertThat(jedis.pfcount("p", "p2")).isEqualTo(2);
            assertThat(jedis.unlink("p", "p2")).isEqualTo(2);
            assertThat(jedis.set("s", "1")).isEqualTo("OK");
            assertThat(jedis.get("s")).isEqualTo("1");
            assertThat(jedis.keys("*")).containsExactlyInAnyOrder("b", "n", "i", "s");
            commands.sendRaw(
                    (name, arguments) -> jedis.sendCommand(() -> name.getBytes(StandardCharsets.US_ASCII), arguments));
            commands.areThoseOfThePage("Jedis 8.0", "methods", "methods", "methods", "methods", "methods");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ProtocolVersion.class,
            names = {"RESP2", "RESP3"})
    void lettuce(ProtocolVersion protocol) throws IOException {
        RedisClient client = RedisClient.create(RedisURI.create("redis://127.0.0.1:" + port()));
        client.setOptions(ClientOptions.builder().protocolVersion(protocol).build());
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            RawCommands commands = RawCommands.after(server);
            RedisCommands<String, String> redis = connection.sync();
            assertThat(redis.bfReserve("b", 0.01, 100)).isEqualTo("OK");
            assertThat(redis.bfAdd("b", "x")).isTrue();
            assertThat(redis.bfMAdd("b", "x", "y")).containsExactly(false, true);
            assertThat(redis.bfInsert("b", "y", "z")).containsExactly(false, true);
            assertThat(redis.bfExists("b", "z")).isTrue();
            assertThat(redis.bfMExists("b", "z", "absent")).containsExactly(true, false);
            assertThat(redis.bfCard("b")).isEqualTo(3);
            assertThat(redis.bfInfo("b").getCapacity()).isEqualTo(100);
            for (long at = 0; ; ) {
                ScanDumpValue part = redis.bfScanDump("b", at);
                if (part.getIterator() == 0) {
                    break;
                }
                assertThat(redis.bfLoadChunk("copy", part.getIterator(), part.getData()))
                        .isEqualTo("OK");
                at = part.getIterator();
            }
            assertThat(redis.bfMExists("copy", "x", "y", "z", "absent")).containsExactly(true, true, true, false);
            assertThat(redis.cfReserve("c", 100)).isEqualTo("OK");
            assertThat(redis.cfAdd("c", "x")).isTrue();
            assertThat(redis.cfInsert("c", "x", "y")).containsExactly(true, true);
            assertThat(redis.cfCount("c", "x")).isEqualTo(2);
            assertThat(redis.cfAddNx("c", "x")).isFalse();
            assertThat(redis.cfInsertNx("c", "y", "z")).containsExactly(false, true);
            assertThat(redis.cfExists("c", "z")).isTrue();
            for (long at = 0; ; ) {
                ScanDumpValue part = redis.cfScanDump("c", at);
                at = part.getIterator();
                if (at == 0) {
                    break;
                }
                assertThat(redis.cfLoadChunk("cc", at, part.getData())).isEqualTo("OK");
            }
            assertThat(redis.cfMExists("cc", "x", "y", "z", "absent")).containsExactly(true, true, true, false);
            assertThat(redis.cfDel("c", "x")).isTrue();
            assertThat(redis.cfInfo("c").getBucketSize()).isEqualTo(2);
            assertThat(redis.topKReserve("t", 2)).isEqualTo("OK");
            assertThat(redis.topKAdd("t", "x", "x")).containsExactly(null, null);
            assertThat(redis.topKQuery("t", "x", "y")).containsExactly(true, false);
            assertThat(redis.topKList("t")).containsExactly("x");
            assertThat(redis.topKIncrBy("t", "y", 9)).containsExactly((String) null);
            assertThat(redis.topKList("t", true).get(0).getCount()).isEqualTo(9);
            assertThat(redis.topKInfo("t").getK()).isEqualTo(2);
            assertThat(redis.cmsInitByDim("f", 2_000, 7)).isEqualTo("OK");
            assertThat(redis.cmsIncrBy("f", IncrementPair.of("x", 5))).containsExactly(5L);
            assertThat(redis.cmsQuery("f", "x", "absent")).containsExactly(5L, 0L);
            assertThat(redis.cmsMerge("f", "f")).isEqualTo("OK");
            assertThat(redis.cmsInfo("f").getWidth()).isEqualTo(2_000);
            assertThat(redis.cmsInitByProb("p", 0.001, 0.01)).isEqualTo("OK");
            assertThat(redis.cmsMerge("p", MergePair.of("f", 2))).isEqualTo("OK");
            assertThat(redis.cmsQuery("p", "x")).containsExactly(10L);
            assertThat(redis.tdigestCreate("q", 100)).isEqualTo("OK");
            assertThat(redis.tdigestAdd("q", 1, 2, 3, 4)).isEqualTo("OK");
            assertThat(redis.tdigestMin("q")).isEqualTo(1);
            assertThat(redis.tdigestQuantile("q", 0.5, 1)).containsExactly(3.0, 4.0);
            assertThat(redis.tdigestCDF("q", 2.5)).containsExactly(0.5);
            assertThat(redis.tdigestTrimmedMean("q", 0.25, 0.75)).isEqualTo(2.5);
            assertThat(redis.tdigestRank("q", 0, 2, 9)).containsExactly(-1L, 1L, 4L);
            assertThat(redis.tdigestByRank("q", 0, 4)).containsExactly(1.0, Double.POSITIVE_INFINITY);
            assertThat(redis.tdigestInfo("q").getCompression()).isEqualTo(100);
            assertThat(redis.tdigestMax("q")).isEqualTo(4);
            assertThat(redis.tdigestRevRank("q", 0, 2, 9)).containsExactly(4L, 2L, -1L);
            assertThat(redis.tdigestByRevRank("q", 0, 4)).containsExactly(4.0, Double.NEGATIVE_INFINITY);
            assertThat(redis.tdigestMerge("r", "q")).isEqualTo("OK");
            assertThat(redis.tdigestInfo("r").getObservations()).isEqualTo(4);
            assertThat(redis.tdigestReset("r")).isEqualTo("OK");
            assertThat(redis.multi()).isEqualTo("OK");
            // Lettuce takes no booleans in what EXEC returns, which RESP3 has for BF.ADD.
            redis.bfCard("b");
            assertThat(redis.exec().<Long>get(0)).isEqualTo(3);
            try (StatefulRedisConnection<byte[], byte[]> raw = client.connect(ByteArrayCodec.INSTANCE)) {
                commands.sendRaw((name, arguments) -> {
                    AnyOutput output = new AnyOutput();
                    List<Object> reply = raw.sync()
                            .dispatch(
                                    keyword(name),
                                    output,
                                    new CommandArgs<>(ByteArrayCodec.INSTANCE).addValues(arguments));
                    return output.isList ? reply : reply.get(0);
                });
            }
            commands.areThoseOfThePage("Lettuce 7.7", "methods", "methods", "methods", "methods", "methods");
        } finally {
            client.shutdown(0, 5, TimeUnit.SECONDS);
        }
    }

    /** Any reply of Lettuce, which puts a single value into a list. */
    private static final class AnyOutput extends NestedMultiOutput<byte[], byte[]> {
        private boolean isList;

        AnyOutput() {
            super(ByteArrayCodec.INSTANCE);
        }

        @Override
        public void multi(int count) {
            isList = true;
            super.multi(count);
        }

        @Override
        public void set(boolean value) {
            set(value ? 1 : 0);
        }
    }

    private static ProtocolKeyword keyword(String name) {
        return new ProtocolKeyword() {
            @Override
            public byte[] getBytes() {
                return name.getBytes(StandardCharsets.US_ASCII);
            }

            @Override
            public String toString() {
                return name;
            }
        };
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    @SuppressWarnings("deprecation") // TOPK.COUNT is deprecated
    void redisson(Protocol protocol) throws IOException {
        Config config = new Config();
        config.setProtocol(protocol);
        config.useSingleServer()
                .setAddress("redis://127.0.0.1:" + port())
                .setConnectionMinimumIdleSize(1)
                .setConnectionPoolSize(2)
                .setSubscriptionConnectionMinimumIdleSize(0)
                .setSubscriptionConnectionPoolSize(1);
        RedissonClient redisson = Redisson.create(config);
        try {
            RawCommands commands = RawCommands.after(server);
            RBloomFilterNative<String> filter = redisson.getBloomFilterNative("b", StringCodec.INSTANCE);
            filter.init(0.01, 100);
            assertThat(filter.add("x")).isTrue();
            assertThat(filter.add("x")).isFalse();
            assertThat(filter.add(List.of("x", "y"))).containsExactly("y");
            assertThat(filter.exists("y")).isTrue();
            assertThat(filter.exists(List.of("x", "absent"))).isEqualTo(Set.of("x"));
            assertThat(filter.count()).isEqualTo(2);
            assertThat(filter.getInfo().getCapacity()).isEqualTo(100);
            if (protocol == Protocol.RESP2) {
                // It expects the array of RESP2 also where RESP3 has a map.
                assertThat(filter.getInfo(BloomFilterInfoOption.ITEMS)).isEqualTo(2);
            }
            assertThat(filter.insert(BloomFilterInsertArgs.elements(List.of("y", "z"))))
                    .containsExactly("z");
            RBloomFilterNative<String> loaded = redisson.getBloomFilterNative("bb", StringCodec.INSTANCE);
            for (long at = 0; ; ) {
                BloomFilterScanDumpInfo part = filter.scanDump(at);
                at = part.getIterator();
                if (at == 0) {
                    break;
                }
                loaded.loadChunk(at, part.getData());
            }
            assertThat(loaded.exists(List.of("x", "z", "absent"))).isEqualTo(Set.of("x", "z"));
            loaded.delete();
            assertThat(redisson.getKeys().count()).isEqualTo(1);
            RCuckooFilter<String> cuckoo = redisson.getCuckooFilter("c", StringCodec.INSTANCE);
            cuckoo.init(100);
            assertThat(cuckoo.add("x")).isTrue();
            assertThat(cuckoo.addIfAbsent("x")).isFalse();
            assertThat(cuckoo.count("x")).isEqualTo(1);
            assertThat(cuckoo.add(CuckooFilterAddArgs.items(List.of("y")))).containsExactly("y");
            assertThat(cuckoo.addIfAbsent(CuckooFilterAddArgs.items(List.of("y", "z"))))
                    .containsExactly("z");
            assertThat(cuckoo.exists("z")).isTrue();
            assertThat(cuckoo.exists(List.of("z", "absent"))).containsExactly("z");
            assertThat(cuckoo.getInfo().getNumberOfInsertedItems()).isEqualTo(3);
            assertThat(cuckoo.remove("x")).isTrue();
            RTopK<String> top = redisson.getTopK("t", StringCodec.INSTANCE);
            top.init(2);
            top.incrementBy("x", 5);
            assertThat(top.contains("x")).isTrue();
            assertThat(top.list()).containsExactly("x");
            assertThat(top.add(List.of("y", "y"))).containsExactly(null, null);
            assertThat(top.contains(List.of("y", "z"))).containsExactly(true, false);
            assertThat(top.count("y")).isEqualTo(2);
            assertThat(top.listWithCount()).containsEntry("x", 5L).containsEntry("y", 2L);
            assertThat(top.incrementBy(Map.of("z", 9))).containsExactly("y");
            assertThat(top.getInfo().getTopK()).isEqualTo(2);
            RTDigest digest = redisson.getTDigest("q");
            digest.create(100);
            digest.add(1, 2, 3, 4);
            assertThat(digest.getMin()).isEqualTo(1);
            assertThat(digest.getMax()).isEqualTo(4);
            assertThat(digest.cumulativeProbability(2.5)).containsExactly(0.5);
            assertThat(digest.revRank(0, 2, 9)).containsExactly(4L, 2L, -1L);
            assertThat(digest.byRank(0, 3)).containsExactly(1.0, 4.0);
            assertThat(digest.byRevRank(0, 3)).containsExactly(4.0, 1.0);
            if (protocol == Protocol.RESP2) {
                // It does not read the infinite number of RESP3.
                assertThat(digest.byRank(4)).containsExactly(Double.POSITIVE_INFINITY);
                assertThat(digest.byRevRank(4)).containsExactly(Double.NEGATIVE_INFINITY);
            }
            assertThat(digest.getInfo().getObservations()).isEqualTo(4);
            RTDigest merged = redisson.getTDigest("r");
            merged.create();
            merged.mergeWith("q");
            assertThat(merged.getInfo().getObservations()).isEqualTo(4);
            merged.reset();
            assertThat(merged.getInfo().getObservations()).isZero();
            assertThat(digest.quantile(0.5, 1)).containsExactly(3.0, 4.0);
            assertThat(digest.rank(0, 2, 9)).containsExactly(-1L, 1L, 4L);
            assertThat(digest.trimmedMean(0.25, 0.75)).isEqualTo(2.5);
            CommandAsyncExecutor executor = ((Redisson) redisson).getCommandExecutor();
            commands.sendRaw((name, arguments) -> executor.get(executor.writeAsync(
                    (String) null,
                    org.redisson.client.codec.ByteArrayCodec.INSTANCE,
                    new RedisStrictCommand<>(name, new ObjectListReplayDecoder<>()),
                    (Object[]) arguments)));
            commands.areThoseOfThePage(
                    "Redisson 4.7", "`RBloomFilterNative`", "`RCuckooFilter`", "", "`RTopK`", "`RTDigest`");
        } finally {
            redisson.shutdown();
        }
    }

    // Debian's redis-tools

    private String run(String input, String... command) throws Exception {
        assumeThat(Path.of("/usr/bin/" + command[0]))
                .as("Debian's redis-tools; bin/test installs them")
                .exists();
        Path in = Files.writeString(folder.resolve("in"), input);
        List<String> words = new ArrayList<>(List.of(command));
        words.addAll(1, List.of("-h", "127.0.0.1", "-p", Integer.toString(port())));
        Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectInput(in.toFile())
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
        return out;
    }

    @Test
    void redisCliRunsCommandsInBothVersions() throws Exception {
        assertThat(run("", "redis-cli", "BF.ADD", "b", "x")).isEqualTo("1\n");
        assertThat(run("", "redis-cli", "-3", "BF.EXISTS", "b", "x")).isEqualTo("(true)\n");
        assertThat(run("BF.MADD b y z\nBF.CARD b\n\"BF.INFO\" b items\n", "redis-cli"))
                .isEqualTo("1\n1\n3\n3\n");
        assertThat(run("", "redis-cli", "--scan", "--pattern", "b*")).isEqualTo("b\n");
        assertThat(run("", "redis-cli", "INFO", "server")).contains("redis_version:");
    }

    @Test
    void redisCliPipes() throws Exception {
        StringBuilder input = new StringBuilder();
        for (int i = 0; i < 1_000; i++) {
            input.append(new String(
                    Wire.request(Wire.bytes("BF.ADD", "p", Integer.toString(i))), StandardCharsets.US_ASCII));
        }
        assertThat(run(input.toString(), "redis-cli", "--pipe")).contains("errors: 0, replies: 1000");
    }

    @Test
    void redisBenchmarkRunsWithoutWarnings() throws Exception {
        String out = run("", "redis-benchmark", "-n", "2000", "-P", "16", "-q", "-t", "ping,set,get");
        assertThat(out).contains("PING_INLINE", "PING_MBULK", "SET", "GET").doesNotContainIgnoringCase("warning");
        assertThat(run("", "redis-benchmark", "-n", "2000", "-q", "BF.ADD", "bench", "__rand_int__"))
                .contains("requests per second")
                .doesNotContainIgnoringCase("warning");
    }
}
