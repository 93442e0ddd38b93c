package dev.perhaps.cli.console;

/** What commands tell the shell. */
public final class ExitCodes {
    public static final int DONE = 0;
    public static final int NOTHING_FOUND = 1;
    public static final int REFUSED = 2;

    private ExitCodes() {}
}
