package dev.perhaps.server.command;

import dev.perhaps.foreign.RedisBloom;
import dev.perhaps.membership.ExpiringBloom;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.membership.ScalableBloom;
import dev.perhaps.server.keyspace.BloomValue;
import dev.perhaps.server.keyspace.SketchValue;
import dev.perhaps.server.wire.ReplyWriter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code BF.INFO} and {@code BF.DEBUG}: what a Bloom filter is. */
final class BloomInfo {
    /** The steps of describing one link: its numbers become digits. */
    private static final long DESCRIPTION_STEPS = 1_024;

    private BloomInfo() {}

    static void info(Call call) {
        if (call.count() > 3) {
            throw call.arity();
        }
        HashFilter.Adds<?> own = BloomCommands.own(call.find(1));
        if (own != null) {
            call.reads(own.sizeBytes());
        }
        BloomValue value = own == null ? BloomCommands.existing(call) : null;
        boolean hasWindow = own instanceof ExpiringBloom<?>;
        ReplyWriter reply = call.reply();
        if (call.count() == 2) {
            reply.map(hasWindow ? 6 : 5);
            for (String name : List.of("CAPACITY", "SIZE", "FILTERS", "ITEMS", "EXPANSION")) {
                reply.simple(label(name));
                fact(name, value, own, call);
            }
            if (hasWindow) {
                reply.simple(label("WINDOW"));
                fact("WINDOW", value, own, call);
            }
            return;
        }
        String name = call.upper(2);
        if (label(name).isEmpty() || name.equals("WINDOW") && !hasWindow) {
            throw new CommandError("Invalid information value");
        }
        if (reply.version() == 3) {
            reply.map(1);
            reply.simple(label(name));
        } else {
            reply.array(1);
        }
        fact(name, value, own, call);
    }

    private static String label(String name) {
        return switch (name) {
            case "CAPACITY" -> "Capacity";
            case "SIZE" -> "Size";
            case "FILTERS" -> "Number of filters";
            case "ITEMS" -> "Number of items inserted";
            case "EXPANSION" -> "Expansion rate";
            case "WINDOW" -> "Window";
            default -> "";
        };
    }

    private static void fact(String name, @Nullable BloomValue value, HashFilter.@Nullable Adds<?> own, Call call) {
        if (own != null) {
            fact(name, own, call);
        } else if (value != null) {
            fact(name, value, call.reply());
        }
    }

    private static void fact(String name, HashFilter.Adds<?> own, Call call) {
        ReplyWriter reply = call.reply();
        switch (name) {
            case "CAPACITY" -> reply.integer(own.sizing().items());
            case "SIZE" -> reply.integer(SketchValue.OBJECT_BYTES + own.sizeBytes());
            case "FILTERS" -> reply.integer(own instanceof ScalableBloom<?> scalable ? scalable.stages() : 1);
            case "ITEMS" -> reply.integer(BloomCommands.items(own, call.now()));
            case "WINDOW" ->
                reply.integer(
                        own instanceof ExpiringBloom<?> expiring
                                ? expiring.window().toMillis()
                                : 0);
            default -> {
                if (own instanceof ScalableBloom<?>) {
                    reply.integer(2);
                } else {
                    reply.nil();
                }
            }
        }
    }

    private static void fact(String name, BloomValue value, ReplyWriter reply) {
        RedisBloom filter = value.filter();
        switch (name) {
            case "CAPACITY" -> reply.integer(filter.capacity());
            case "SIZE" -> reply.integer(value.sizeBytes());
            case "FILTERS" -> reply.integer(filter.links().size());
            case "ITEMS" -> reply.integer(filter.count());
            default -> {
                if (filter.isScaling()) {
                    reply.integer(filter.expansion());
                } else {
                    reply.nil();
                }
            }
        }
    }

    static void debug(Call call) {
        RedisBloom filter = BloomCommands.existing(call).filter();
        List<RedisBloom.Link> links = filter.links();
        call.work(links.size(), DESCRIPTION_STEPS);
        call.reply().array(links.size() + 1);
        call.reply().bulk("size:" + filter.count());
        for (RedisBloom.Link link : links) {
            call.reply()
                    .bulk("bytes:" + link.bytes() + " bits:" + link.bits() + " hashes:" + link.hashes()
                            + " hashwidth:64 capacity:" + link.capacity() + " size:" + link.items() + " ratio:"
                            + general(link.error()));
        }
    }

    /** A number as %g of C prints it: six significant digits, without zeros at the end. */
    static String general(double value) {
        int exponent = value == 0
                ? 0
                : Integer.parseInt(String.format(Locale.ROOT, "%.5e", value).split("e", -1)[1]);
        if (exponent < -4 || exponent >= 6) {
            String[] parts = String.format(Locale.ROOT, "%.5e", value).split("e", -1);
            return trimmed(parts[0]) + "e" + parts[1];
        }
        return trimmed(String.format(Locale.ROOT, "%." + (5 - exponent) + "f", value));
    }

    private static String trimmed(String digits) {
        return digits.indexOf('.') < 0 ? digits : digits.replaceAll("0+$", "").replaceAll("\\.$", "");
    }
}
