package dev.perhaps.cli.input;

/** What the user gave cannot be used; the message is the one line they see. */
public final class BadInput extends RuntimeException {
    public BadInput(String message) {
        super(message);
    }
}
