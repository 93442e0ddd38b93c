package dev.perhaps.server.command;

import dev.perhaps.foreign.RedisBloom;
import dev.perhaps.server.keyspace.BloomValue;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.sketch.FormatException;

/** {@code BF.SCANDUMP} and {@code BF.LOADCHUNK}: a Bloom filter as bytes, part by part. */
final class BloomDumps {
    private static final String BAD_DATA = "ERR received bad data";

    private BloomDumps() {}

    static void scandump(Call call) {
        RedisBloom filter = BloomCommands.existing(call).filter();
        long iterator = Numbers.orError(call.word(2), "Second argument must be numeric");
        ReplyWriter reply = call.reply();
        call.reads(Math.min(filter.dataBytes(), BloomCommands.CHUNK_BYTES));
        reply.array(2);
        if (iterator == 0) {
            reply.integer(1);
            reply.bulk(filter.header());
            return;
        }
        byte[] chunk = iterator < 1 ? new byte[0] : filter.chunk(iterator - 1, BloomCommands.CHUNK_BYTES);
        reply.integer(chunk.length == 0 ? 0 : iterator + chunk.length);
        reply.bulk(chunk);
    }

    static void loadchunk(Call call) {
        long iterator = Numbers.orError(call.word(2), "ERR Second argument must be numeric");
        BloomValue value = call.find(1, BloomValue.class);
        byte[] data = call.word(3);
        if (value == null) {
            if (iterator != 1) {
                throw new CommandError(BloomCommands.NOT_FOUND);
            }
            RedisBloom loaded;
            try {
                loaded = RedisBloom.ofHeader(data, call.mostBytes());
            } catch (FormatException e) {
                throw new CommandError(BAD_DATA);
            }
            call.put(call.key(1), new BloomValue(loaded));
            call.reply().ok();
            return;
        }
        long position = iterator - 1 - data.length;
        if (data.length == 0 || position < 0) {
            throw new CommandError(BAD_DATA);
        }
        RedisBloom.Load[] result = new RedisBloom.Load[1];
        call.change(call.key(1), () -> {
            result[0] = value.filter().load(position, data);
            return result[0] == RedisBloom.Load.LOADED;
        });
        switch (result[0]) {
            case NO_LINK -> throw new CommandError("ERR invalid offset - no link found");
            case TOO_LONG -> throw new CommandError("ERR invalid chunk - Too big for current filter");
            default -> call.reply().ok();
        }
    }
}
