package dev.perhaps.bench.spark;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * What {@code bin/bench spark} was asked for.
 *
 * @param parts what is measured, in this order
 * @param rows rows of the aggregates and lookups
 * @param joinRows rows of the large side of the join; the smaller one has a fiftieth of them
 * @param matchPercents the shares of the large side's rows that have a partner, in percent
 * @param documents the most documents of near duplicates, a tenth of which are measured first
 * @param lshDocuments documents that MLlib compares; its time grows with their square
 * @param rounds rounds of aggregates and lookups
 * @param joinRounds rounds of joins and near duplicates
 * @param folder where tables are written, in a folder of its own that is deleted at the end
 */
record SparkBenchOptions(
        List<String> parts,
        long rows,
        long joinRows,
        List<Integer> matchPercents,
        int documents,
        int lshDocuments,
        int rounds,
        int joinRounds,
        Path folder,
        Optional<Path> markdown) {
    static final List<String> USUAL = List.of("filter", "contain", "count", "join", "duplicates");
    static final String SCALE = "scale";

    /** The smaller side has this share of the rows. */
    static final int SMALLER = 50;

    private static final int MAX_ROUNDS = 1_000;

    SparkBenchOptions {
        parts = List.copyOf(parts);
        matchPercents = List.copyOf(matchPercents);
    }

    static SparkBenchOptions parse(List<String> words) {
        List<String> parts = new ArrayList<>();
        long rows = 10_000_000;
        long joinRows = 20_000_000;
        List<Integer> matchPercents = List.of(1, 10, 50, 100);
        int documents = 100_000;
        int lshDocuments = 1_000;
        int rounds = 5;
        int joinRounds = 3;
        Path folder = Path.of(System.getProperty("java.io.tmpdir"));
        Optional<Path> markdown = Optional.empty();
        Iterator<String> left = words.iterator();
        while (left.hasNext()) {
            String word = left.next();
            switch (word) {
                case "--quick" -> {
                    rows = 1_000_000;
                    joinRows = 2_000_000;
                    documents = 10_000;
                    lshDocuments = 300;
                    rounds = 3;
                    joinRounds = 1;
                }
                case "--goal" -> {
                    rows = 20_000_000;
                    joinRows = 100_000_000;
                    documents = 1_000_000;
                    rounds = 7;
                    joinRounds = 7;
                }
                case "--rows" -> rows = number(word, left, 1_000, 1_000_000_000);
                case "--join-rows" -> joinRows = number(word, left, 10_000, 1_000_000_000);
                case "--matches" -> matchPercents = percents(word, value(word, left));
                case "--documents" -> documents = (int) number(word, left, 100, 10_000_000);
                case "--lsh-documents" -> lshDocuments = (int) number(word, left, 20, 10_000);
                case "--rounds" -> rounds = (int) number(word, left, 1, MAX_ROUNDS);
                case "--join-rounds" -> joinRounds = (int) number(word, left, 1, MAX_ROUNDS);
                case "--folder" -> folder = Path.of(value(word, left));
                case "--markdown" -> markdown = Optional.of(Path.of(value(word, left)));
                default -> {
                    if (!USUAL.contains(word) && !word.equals(SCALE)) {
                        throw new IllegalArgumentException("there is no part or option " + word + ": there are "
                                + String.join(", ", USUAL) + ", " + SCALE + "; see bin/bench spark --help");
                    }
                    parts.add(word);
                }
            }
        }
        return new SparkBenchOptions(
                parts.isEmpty() ? USUAL : parts,
                rows,
                joinRows,
                matchPercents,
                documents,
                lshDocuments,
                rounds,
                joinRounds,
                folder,
                markdown);
    }

    private static String value(String option, Iterator<String> left) {
        if (!left.hasNext()) {
            throw new IllegalArgumentException(option + " needs a value after it");
        }
        return left.next();
    }

    private static List<Integer> percents(String option, String values) {
        List<Integer> percents = new ArrayList<>();
        for (String value : values.split(",", -1)) {
            percents.add((int) number(option, value, 1, 100));
        }
        return percents;
    }

    private static long number(String option, Iterator<String> left, long least, long most) {
        return number(option, value(option, left), least, most);
    }

    private static long number(String option, String value, long least, long most) {
        try {
            long number = Long.parseLong(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // falls through to the one message that names the valid options
        }
        throw new IllegalArgumentException(
                option + " must be a whole number in [" + least + ", " + most + "], got " + value);
    }
}
