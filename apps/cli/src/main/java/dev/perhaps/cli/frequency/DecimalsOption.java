package dev.perhaps.cli.frequency;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Decimals;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.options.RecordOptions;
import dev.perhaps.cli.options.SketchFile;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** To how many decimals amounts and numbers are counted. */
final class DecimalsOption {
    @Option(
            names = "--decimals",
            paramLabel = "N",
            description = "Count amounts and numbers to N decimals, 0 to " + Decimals.MAX_PLACES
                    + ", and round those that have more (default: as in the sketch, or all decimals in the files;"
                    + " whole numbers only from standard input).")
    private @Nullable Integer places;

    /** Work that begins again when a number has more decimals than those before it. */
    @FunctionalInterface
    interface Work {
        int with(Decimals decimals) throws IOException;
    }

    /** Refuses the option where there is no number that it could be for. */
    void refuseWithout(boolean isUsed, String options) {
        if (places != null && !isUsed) {
            throw new BadInput("--decimals goes with " + options);
        }
        if (places != null && (places < 0 || places > Decimals.MAX_PLACES)) {
            throw new BadInput("--decimals must be from 0 to " + Decimals.MAX_PLACES + ", got " + places);
        }
    }

    /** Does the work with the decimals of {@code --decimals} or, without it, with as many as the inputs have. */
    int counting(List<Input> inputs, RecordOptions reading, Work work) throws IOException {
        if (places != null) {
            return work.with(Decimals.rounding(places));
        }
        if (!inputs.stream().allMatch(Input::rereadable)) {
            return work.with(Decimals.refusing(0, "is not a whole number: use --decimals %d"));
        }
        int found = 0;
        while (true) {
            try {
                return work.with(Decimals.finding(found));
            } catch (Decimals.MoreFound more) {
                found = more.places();
                reading.restart();
            }
        }
    }

    /** Those of a sketch that exists; what has more is rounded only if the user says so. */
    Decimals of(SketchFile file, int stored) {
        refuseWithout(true, "");
        if (places == null) {
            String counted = stored == 0 ? "whole numbers" : stored == 1 ? "1 decimal" : stored + " decimals";
            return Decimals.refusing(
                    stored,
                    "has more decimals than " + file + " counts (" + counted + "): round it with --decimals " + stored
                            + ", or build the sketch again with --decimals %d");
        }
        if (places != stored) {
            throw new BadInput("--decimals " + places + ": " + file + " was built with " + stored
                    + ": leave the option out, or build the sketch again");
        }
        return Decimals.rounding(stored);
    }
}
