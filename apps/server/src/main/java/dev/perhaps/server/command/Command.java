package dev.perhaps.server.command;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;

/** A command: its name, its syntax, which of its words are keys, and what it does. Immutable. */
final class Command {
    /** What a command may do. */
    enum Flag {
        /** It may change keys. */
        WRITE,
        /** It changes nothing. */
        READONLY,
        /** It takes constant time. */
        FAST,
        /** It may need more memory. */
        DENYOOM,
        /** For operators. */
        ADMIN,
        /** May be used before a client has authenticated. */
        NO_AUTH,
        /** It takes the locks that it needs itself. */
        UNLOCKED,
        /** It reads one key, also while that changes: then what it replied is taken back, and it runs again with a lock. */
        OPTIMISTIC,
        /** It needs all keys at once. */
        ALL_KEYS,
        /** Not queued after MULTI. */
        IMMEDIATE,
        /** Not allowed after MULTI. */
        NO_MULTI,
        /** Its words may be secrets: they are not shown to MONITOR and SLOWLOG. */
        SECRET
    }

    /** What a command does. */
    interface Handler {
        void run(Call call);
    }

    /** Where the keys of a command are among its words: first, last (negative: from the end), step, and more by a count. */
    record Keys(int first, int last, int step, boolean isCounted) {
        static final Keys NONE = new Keys(0, 0, 0, false);
        static final Keys ONE = new Keys(1, 1, 1, false);
        static final Keys TWO = new Keys(1, 2, 1, false);
        static final Keys ALL = new Keys(1, -1, 1, false);
        static final Keys PAIRS = new Keys(1, -1, 2, false);

        /** The destination, then as many sources as the second word says. */
        static final Keys MERGED = new Keys(1, 1, 1, true);

        /** As many as the first word says. */
        static final Keys COUNTED = new Keys(2, 2, 1, true);
    }

    private final String name;
    private final byte[] nameBytes;
    private final String syntax;
    private final String summary;
    private final String group;
    private final Set<Flag> flags;
    private final int flagBits;
    private final Keys keys;
    private final Handler handler;
    private final boolean hasOneKey;
    private final int arity;

    /**
     * A command.
     *
     * @param name in lower case
     * @param syntax the words after the name, as the documentation of Redis writes them
     * @param summary one sentence
     * @param group what {@code COMMAND DOCS} calls its group
     * @param flags what it may do
     * @param keys where its keys are
     * @param handler what it does
     */
    Command(String name, String syntax, String summary, String group, Set<Flag> flags, Keys keys, Handler handler) {
        this.name = name;
        this.nameBytes = name.getBytes(StandardCharsets.US_ASCII);
        this.syntax = syntax;
        this.summary = summary;
        this.group = group;
        this.flags = flags;
        this.flagBits = flags.stream().mapToInt(Command::bit).sum();
        this.keys = keys;
        this.hasOneKey = keys.equals(Keys.ONE);
        this.handler = handler;
        this.arity = Syntax.arity(syntax);
    }

    /** Asked many times per command: the bits of an int rather than a set. */
    @SuppressWarnings("EnumOrdinal")
    private static int bit(Flag flag) {
        return 1 << flag.ordinal();
    }

    String name() {
        return name;
    }

    String syntax() {
        return syntax;
    }

    String summary() {
        return summary;
    }

    String group() {
        return group;
    }

    Set<Flag> flags() {
        return flags;
    }

    Keys keys() {
        return keys;
    }

    /** Returns true if its second word is its only key. */
    boolean hasOneKey() {
        return hasOneKey;
    }

    boolean hasNoKey() {
        return keys.first == 0;
    }

    Handler handler() {
        return handler;
    }

    boolean is(Flag flag) {
        return (flagBits & bit(flag)) != 0;
    }

    /** Returns true if this word is its name, in letters of any case. */
    boolean isNamed(byte[] word) {
        if (word.length != nameBytes.length) {
            return false;
        }
        for (int i = 0; i < word.length; i++) {
            if (CommandTable.lower(word[i]) != nameBytes[i]) {
                return false;
            }
        }
        return true;
    }

    String upperName() {
        return name.toUpperCase(Locale.ROOT);
    }

    /** The number of words with the name; negative: at least that many. */
    int arity() {
        return arity;
    }

    boolean takes(int words) {
        return arity >= 0 ? words == arity : words >= -arity;
    }

    /** The place of the last key among this many words. */
    int lastKey(byte[][] words) {
        if (keys.isCounted) {
            int number = 3 - keys.first;
            return number + (int) Math.max(0, Math.min(words.length - 1L - number, Numbers.orElse(words[number], 0)));
        }
        return keys.last >= 0 ? Math.min(keys.last, words.length - 1) : words.length + keys.last;
    }

    boolean isKey(int place, byte[][] words) {
        if (keys.first == 0) {
            return false;
        }
        return keys.isCounted
                ? place != 3 - keys.first && place <= lastKey(words)
                : place >= keys.first && place <= lastKey(words) && (place - keys.first) % keys.step == 0;
    }
}
