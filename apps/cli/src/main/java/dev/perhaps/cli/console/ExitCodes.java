package dev.perhaps.cli.console;

/** The exit codes of commands. */
public final class ExitCodes {
    public static final int DONE = 0;
    public static final int NOTHING_FOUND = 1;
    public static final int REFUSED = 2;

    private ExitCodes() {}
}
