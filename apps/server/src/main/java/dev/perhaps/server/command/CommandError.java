package dev.perhaps.server.command;

/** A command that is refused: the whole text of the error, which is the reply. Nothing was changed. */
public final class CommandError extends RuntimeException {
    static final String WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";
    static final String SYNTAX = "ERR syntax error";
    static final String NOT_INTEGER = "ERR value is not an integer or out of range";

    /** An error with this text. */
    public CommandError(String text) {
        super(text, null, false, false);
    }

    static CommandError arity(String command) {
        return new CommandError("ERR wrong number of arguments for '" + command + "' command");
    }

    /** The text. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
