package dev.perhaps.server.keyspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class EntryTableTest {
    private static final int KEYS = 10_000;

    private final EntryTable table = new EntryTable();
    private final Keyspace keyspace = new Keyspace(7);

    private KeyBytes key(int i) {
        return keyspace.key(("key-" + i).getBytes(StandardCharsets.US_ASCII));
    }

    /** The places of keys that were removed took memory forever. */
    @Test
    void aTableShrinksAfterAMassDeleteAndKeepsTheRest() {
        for (int i = 0; i < KEYS; i++) {
            table.add(new KeyEntry(key(i), new StringValue(new byte[0])));
        }
        assertThat(table.places()).isGreaterThanOrEqualTo(KEYS);
        for (int i = 0; i < KEYS; i++) {
            if (i % 100 != 0) {
                assertThat(table.remove(key(i))).isNotNull();
            }
        }
        assertThat(table.places()).isLessThanOrEqualTo(8 * KEYS / 100);
        assertThat(table.entries()).hasSize(KEYS / 100);
        for (int i = 0; i < KEYS; i++) {
            assertThat(table.find(key(i)) != null).as("key " + i).isEqualTo(i % 100 == 0);
        }
        for (int i = 0; i < KEYS; i += 100) {
            table.remove(key(i));
        }
        assertThat(table.places()).isEqualTo(2);
        assertThat(table.entries()).isEmpty();
    }
}
