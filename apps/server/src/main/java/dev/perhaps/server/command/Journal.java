package dev.perhaps.server.command;

import java.util.List;

/** Where changes are written down before they are acknowledged. */
public interface Journal {
    /** Says why nothing can be written now, or returns an empty text. */
    String problem();

    /** Takes the effects of one command, or of one transaction; the locks of their keys are held. */
    void append(List<byte[][]> effects);

    /** Writes everything to a new snapshot; returns when it is on disk. */
    void save() throws java.io.IOException;

    /** Starts {@link #save} in the background; returns false if one is under way. */
    boolean saveInBackground();

    /** Returns when the last snapshot was complete, in seconds since 1970. */
    long lastSaveSeconds();

    /** Returns the lines of {@code INFO persistence}. */
    String info();

    /** Keeps nothing. */
    Journal NONE = new Journal() {
        @Override
        public String problem() {
            return "";
        }

        @Override
        public void append(List<byte[][]> effects) {}

        @Override
        public void save() {}

        @Override
        public boolean saveInBackground() {
            return true;
        }

        @Override
        public long lastSaveSeconds() {
            return 0;
        }

        @Override
        public String info() {
            return "aof_enabled:0\r\n";
        }
    };
}
