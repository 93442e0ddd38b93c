package dev.perhaps.cli.input.compressed;

import dev.perhaps.io.Figures;
import java.io.IOException;

/** Compressed data that cannot be decompressed from some byte on; the message is the end of the line that the user sees. */
final class DamagedArchive extends IOException {
    DamagedArchive(String what, String part, long place) {
        super("the compressed data is damaged: " + what + " (" + part + ", byte " + Figures.count(place)
                + "): compress it again");
    }
}
