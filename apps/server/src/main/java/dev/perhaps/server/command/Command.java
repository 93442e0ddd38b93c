package dev.perhaps.server.command;

import java.util.Locale;
import java.util.Set;

/**
 * A command: its name, its syntax, which of its words are keys, and what it does.
 *
 * @param name in lower case
 * @param syntax the words after the name, as the documentation of Redis writes them
 * @param summary one sentence
 * @param group what {@code COMMAND DOCS} calls its group
 * @param flags what it may do
 * @param keys where its keys are
 * @param handler what it does
 */
record Command(String name, String syntax, String summary, String group, Set<Flag> flags, Keys keys, Handler handler) {

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

    boolean is(Flag flag) {
        return flags.contains(flag);
    }

    String upperName() {
        return name.toUpperCase(Locale.ROOT);
    }

    /** The number of words with the name; negative: at least that many. */
    int arity() {
        return Syntax.arity(syntax);
    }

    boolean takes(int words) {
        int arity = arity();
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
