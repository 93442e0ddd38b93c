package dev.perhaps.bench;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The options of a benchmark.
 *
 * @param peers the number of processes of the ring
 * @param only measures only rows whose name matches
 */
public record Options(
        String benchmark, int keys, int peers, int rounds, Pattern only, Clock clock, Optional<Path> markdown) {
    public static final int QUICK_KEYS = 1_000_000;
    static final int FULL_KEYS = 10_000_000;

    private static final int MIN_KEYS = 1_000;
    private static final int MAX_KEYS = 200_000_000;
    private static final int MAX_ROUNDS = 1_000;
    private static final int USUAL_PEERS = 30;
    private static final int MIN_PEERS = 12;
    private static final int MAX_PEERS = 200;

    /** With fewer rounds, quartiles mean little. */
    private static final int DEFAULT_ROUNDS = 11;

    /** What follows the name of the benchmark. */
    static Options parse(String name, List<String> words) {
        int keys = FULL_KEYS;
        int peers = USUAL_PEERS;
        int rounds = DEFAULT_ROUNDS;
        Clock clock = Clock.WALL;
        Pattern only = Pattern.compile("");
        Optional<Path> markdown = Optional.empty();
        Iterator<String> left = words.iterator();
        while (left.hasNext()) {
            String option = left.next();
            switch (option) {
                case "--quick" -> keys = QUICK_KEYS;
                case "--keys" -> keys = number(option, value(option, left), MIN_KEYS, MAX_KEYS);
                case "--peers" -> peers = number(option, value(option, left), MIN_PEERS, MAX_PEERS);
                case "--rounds" -> rounds = number(option, value(option, left), 1, MAX_ROUNDS);
                case "--cpu-time" -> clock = Clock.CPU;
                case "--only" -> only = pattern(value(option, left));
                case "--markdown" -> markdown = Optional.of(Path.of(value(option, left)));
                default ->
                    throw new IllegalArgumentException("there is no option " + option + ": see bin/bench --help");
            }
        }
        return new Options(name, keys, peers, rounds, only, clock, markdown);
    }

    /** The command that repeats this run. */
    public String command() {
        return "bin/bench " + benchmark
                + (keys == QUICK_KEYS ? " --quick" : keys == FULL_KEYS ? "" : " --keys " + keys)
                + (peers == USUAL_PEERS ? "" : " --peers " + peers)
                + (only.pattern().isEmpty() ? "" : " --only '" + only + "'")
                + (rounds == DEFAULT_ROUNDS ? "" : " --rounds " + rounds)
                + (clock == Clock.CPU ? " --cpu-time" : "");
    }

    /** True for a short run. */
    public boolean isQuick() {
        return keys == QUICK_KEYS;
    }

    public boolean wants(String row) {
        return only.matcher(row).find();
    }

    private static String value(String option, Iterator<String> left) {
        if (!left.hasNext()) {
            throw new IllegalArgumentException(option + " needs a value after it");
        }
        return left.next();
    }

    private static int number(String option, String value, int least, int most) {
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // falls through to the one message that names the valid options
        }
        throw new IllegalArgumentException(
                option + " must be a whole number in [" + least + ", " + most + "], got " + value);
    }

    private static Pattern pattern(String regex) {
        try {
            return Pattern.compile(regex, Pattern.CASE_INSENSITIVE);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "--only is not a regular expression: " + e.getDescription() + ", got " + regex);
        }
    }
}
