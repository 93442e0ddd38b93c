package dev.perhaps.server.command;

import java.nio.charset.StandardCharsets;

/** Thrown when a command is refused: the message is the complete text of the error reply. Nothing was changed. */
public final class CommandError extends RuntimeException {
    static final String WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";
    static final String SYNTAX = "ERR syntax error";
    static final String NOT_INTEGER = "ERR value is not an integer or out of range";

    private static final int MAX_SHOWN = 128;

    /** An error with this text. */
    public CommandError(String text) {
        super(text, null, false, false);
    }

    static CommandError arity(String command) {
        return new CommandError("ERR wrong number of arguments for '" + command + "' command");
    }

    /** A command that is not known, with the beginning of its words. */
    static CommandError unknown(byte[][] words) {
        StringBuilder text =
                new StringBuilder("ERR unknown command '" + shown(words[0]) + "', with args beginning with: ");
        for (int i = 1; i < words.length && text.length() < MAX_SHOWN; i++) {
            text.append('\'').append(shown(words[i])).append("' ");
        }
        return new CommandError(text.toString());
    }

    /** The beginning of a word. */
    static String shown(byte[] word) {
        return new String(word, 0, Math.min(word.length, MAX_SHOWN), StandardCharsets.ISO_8859_1);
    }

    /** The text. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
