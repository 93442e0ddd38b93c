package dev.perhaps;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.foreign.Bip37Filter;
import dev.perhaps.foreign.GuavaBloom;
import dev.perhaps.guard.Costs;
import dev.perhaps.guard.Guard;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BloomFilter;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** A null that is only kept, and used later or never, is refused when it is given, with its name. */
@SuppressWarnings("NullAway") // null is what is tested
class NullPlansTest {
    @Test
    void namesWhatAPlanWouldHaveKept() {
        refused("clock must not be null", () -> Guard.plan().clock(null));
        refused("costs must not be null", () -> Guard.plan().costs((Supplier<Costs>) null));
        refused("update must not be null", () -> Bip37Filter.expecting(10).updating(null));
        refused("funnel must not be null", () -> GuavaBloom.expecting(10).of(null));
        InputStream empty = new ByteArrayInputStream(new byte[0]);
        refused("funnel must not be null", () -> GuavaBloom.readFrom(empty, null, 100));
    }

    @Test
    void namesTheHashesThatAreNull() {
        refused("hashes must not be null", () -> Hashes.of((long[]) null));
        refused("key must not be null", () -> Hashes.of(null, List.of("a")));
        refused("values must not be null", () -> Hashes.of(Key.strings(), null));
    }

    @Test
    void namesALookupThatReturnsNull() {
        BloomFilter<String> known = BloomFilter.expecting(10).build();
        known.add("known");
        Guard<String, String> guard = Guard.store(known, key -> null, key -> "all");
        refused("a lookup must return an Optional, and returned null", () -> {
            Optional<String> unused = guard.get("known");
        });
    }

    private static void refused(String message, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(message);
    }
}
