package dev.perhaps.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.server.command.Database;
import dev.perhaps.server.command.Users;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.keyspace.Value;
import dev.perhaps.server.keyspace.ValueType;
import dev.perhaps.server.operation.ServerSettings;
import dev.perhaps.server.wire.ReplyWriter;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A Java Error, not an exception, in the middle of a command. */
class HandlerErrorTest {
    private static final class DeepValue implements Value {
        @Override
        public ValueType type() {
            return ValueType.STRING;
        }

        @Override
        public long sizeBytes() {
            return 100;
        }

        @Override
        public Value copy() {
            return this;
        }

        @Override
        public String encoding() {
            throw new StackOverflowError("too deep");
        }

        @Override
        public void writeTo(OutputStream out) {}

        @Override
        public long fileBytes() {
            return 0;
        }
    }

    /** The client was closed, and nobody was told why. */
    @Test
    void anErrorIsToldAndTheClientIsClosed() {
        Database database = new Database(new Keyspace(1), new ServerSettings(), new Users(), () -> 0, 1);
        List<String> told = new ArrayList<>();
        database.complaints(told::add);
        database.keyspace().put(database.keyspace().key("deep".getBytes(StandardCharsets.US_ASCII)), new DeepValue());
        EmbeddedChannel channel = new EmbeddedChannel(new ClientConnection(
                database,
                1,
                Listener.MAX_REQUEST_BYTES,
                new ClientBudget(1 << 20, ClientConnection.FREE_INPUT_BYTES),
                new ClientBudget(64 << 20, ReplyWriter.FREE_BYTES)));
        channel.writeInbound(Unpooled.copiedBuffer("OBJECT ENCODING deep\r\n", StandardCharsets.US_ASCII));
        assertThat(channel.isOpen()).isFalse();
        assertThat(told).singleElement().asString().contains("too deep").contains("DeepValue.encoding");
        channel.finishAndReleaseAll();
    }
}
