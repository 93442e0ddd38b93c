package dev.perhaps.server.command;

import dev.perhaps.foreign.RedisBloom;
import dev.perhaps.server.keyspace.BloomValue;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.sketch.FormatException;

/** {@code BF.SCANDUMP} and {@code BF.LOADCHUNK}: a Bloom filter as bytes, part by part. */
final class BloomDumps {
    private static final String BAD_DATA = "ERR received bad data";
    private static final int COPIED_BYTES = 1 << 16;

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
        int length = iterator < 1 ? 0 : filter.chunkBytes(iterator - 1, BloomCommands.CHUNK_BYTES);
        reply.integer(length == 0 ? 0 : iterator + length);
        chunk(reply, length, (at, most) -> filter.chunk(iterator - 1 + at, most));
    }

    /** Gives bytes of a filter from a place on, at most as many as wanted. */
    interface Chunk {
        byte[] bytes(int from, int most);
    }

    /** Replies a part of a filter, of which little is copied at a time. */
    static void chunk(ReplyWriter reply, int length, Chunk chunk) {
        reply.bulk(length, out -> {
            for (int at = 0; at < length; at += COPIED_BYTES) {
                out.write(chunk.bytes(at, Math.min(COPIED_BYTES, length - at)));
            }
        });
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
