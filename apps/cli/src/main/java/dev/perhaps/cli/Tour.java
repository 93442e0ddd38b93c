package dev.perhaps.cli;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.launch.Workload;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/** {@code perhaps tour}: the first thing to run. It runs real commands on data it brings along, and says what they mean. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "tour",
        description = {"Shows what Perhaps can do, on built-in data, in under half a minute.", ""},
        footer = {"", "Example:", "  perhaps tour"},
        mixinStandardHelpOptions = true)
final class Tour implements Callable<Integer> {
    private static final int KNOWN = 1_000_000;
    private static final int VISITS = 1_000_000;
    private static final int PAGES = 100_000;
    private static final int DELETING_TRIES = 10;

    @Override
    public Integer call() throws IOException {
        Path folder = Files.createTempDirectory("perhaps-tour");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder))); // after Ctrl-C
        try {
            membership(folder);
            frequency(folder);
            similarity(folder);
            placement(folder);
            beyond(folder);
        } finally {
            delete(folder);
        }
        say("");
        say("Next: 'perhaps --help' for all commands, docs/ for recipes, README.md for the library.");
        return ExitCodes.DONE;
    }

    /** The command that Ctrl-C has interrupted may still make a file: what is left is looked for again. */
    private static void delete(Path folder) {
        for (int i = 0; i < DELETING_TRIES && Files.exists(folder); i++) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException | UncheckedIOException e) {
                // Once more, then; at last it is left to the system's folder for temporary files.
            }
        }
    }

    private void membership(Path folder) throws IOException {
        title("Is it in the set?");
        bring(folder, "capitals.txt");
        Files.writeString(folder.resolve("asked.txt"), "Lisbon\nAtlantis\nZürich\nOslo\n", StandardCharsets.UTF_8);

        say("Here are 189 capitals. A filter of them forgets the names and keeps about ten bits of each:");
        run(folder, "filter", "build", "capitals.txt", "-o", "capitals.filter");
        say("Which of Lisbon, Atlantis, Zürich and Oslo are capitals? It prints what is perhaps in the set:");
        run(folder, "filter", "check", "capitals.filter", "asked.txt");
        say("What is in the set is always found. What is not is almost always left out, and --absent is always right:");
        run(folder, "filter", "check", "capitals.filter", "asked.txt", "--absent");

        say("How often is 'perhaps' wrong? Here are a million numbers in a filter, and a million others asked for:");
        numbers(folder.resolve("known.txt"), 0);
        numbers(folder.resolve("others.txt"), KNOWN);
        run(folder, "filter", "build", "known.txt", "--fpp", "0.01", "-o", "known.filter");
        run(folder, "filter", "check", "known.filter", "others.txt", "--count");
        say("One in a hundred, as --fpp 0.01 asked for. It takes under ten bits per item; the numbers themselves"
                + " took " + Files.size(folder.resolve("known.txt")) * 8 / KNOWN + ".");
        say("");
        say("Other kinds of filter are faster, smaller, can remove, or can grow. Which one, and how big?");
        run(folder, "plan", "--items", "1e9", "--fpp", "0.02");
        say("And sometimes the right answer is none. If only one lookup in 10,000 is for something that is there:");
        run(folder, "plan", "--items", "1e9", "--fpp", "0.02", "--prior", "0.0001", "--alpha", "9");
    }

    private void frequency(Path folder) throws IOException {
        title("How often?");
        bring(folder, "gettysburg.txt");
        say("Here is what Lincoln said at Gettysburg, one word per line. Which words come most often?");
        run(folder, "top", "gettysburg.txt", "-k", "3");
        say(
                "Few words have room, and are counted exactly. Here are a million visits to 100,000 pages, some far more often");
        say("than others. A sketch of them forgets the names and keeps 53 KiB, however many pages there are:");
        visits(folder.resolve("visits.csv"));
        Files.writeString(folder.resolve("pages.txt"), "/page-1\n/page-2000\n/nowhere\n", StandardCharsets.UTF_8);
        run(folder, "count", "build", "visits.csv", "--format", "csv:page", "-o", "visits.count");
        run(folder, "count", "query", "visits.count", "pages.txt", "--format", "lines");
        say("A count is from at least to at most: never too low, and too high by a thousandth of the total at most.");
        say("Only the most frequent, then, and how many different pages there were:");
        run(folder, "top", "visits.csv", "--format", "csv:page", "-k", "3");
        run(folder, "distinct", "visits.csv", "--format", "csv:page");
        say("Numbers have an order, so quantiles can be asked for: the number of milliseconds that half of the visits");
        say("took at most, and the number that 99 of 100 took at most:");
        run(
                folder,
                "count",
                "build",
                "visits.csv",
                "--format",
                "csv:millis",
                "--ranges",
                "--universe",
                "16",
                "-o",
                "millis.count");
        run(folder, "count", "quantile", "millis.count", "0.5", "0.99");
    }

    private void similarity(Path folder) throws IOException {
        title("How alike?");
        bring(folder, "copies.txt");
        say(
                "Lincoln wrote the speech down five times, never quite the same. Here is how each copy begins, and how the");
        say("speech goes on. Of lines that are nearly the same, one is kept:");
        run(folder, "dedup", "copies.txt", "--normalise", "--clusters", "clusters.tsv", "--report");
        say(
                "Two lines are compared by the runs of ten characters in them: those that both have, as a share of those that");
        say("either has. From 0.8 on they are nearly the same. Each line, with the one it matched and that share:");
        say("");
        for (String row : Files.readAllLines(folder.resolve("clusters.tsv"))) {
            String[] columns = row.replace(folder + "/", "").split("\t", -1);
            String share =
                    columns[4].isEmpty() ? "alone" : columns[3] + "  " + columns[4].replaceAll("(\\..{3}).*", "$1");
            say("    " + columns[1] + "  " + (columns[2].equals("kept") ? "kept   " : "removed") + "  " + share);
        }
    }

    private void placement(Path folder) throws IOException {
        title("Who has it?");
        Files.writeString(folder.resolve("caches.txt"), "alpha\nbeta\ngamma 2\n", StandardCharsets.UTF_8);
        Files.writeString(folder.resolve("tomorrow.txt"), "alpha\nbeta\ngamma 2\ndelta\n", StandardCharsets.UTF_8);
        say("Here are three caches, of which gamma is twice as large. Which of them has what?");
        run(folder, "place", "--nodes", "caches.txt", "Lisbon", "Oslo", "Paris");
        say("Every program that knows the caches computes the same node, without a list of keys."
                + " The 189 capitals on them:");
        run(folder, "place", "--nodes", "caches.txt", "--input", "capitals.txt", "--load");
        List<String> some = Files.readAllLines(folder.resolve("capitals.txt")).subList(0, 24);
        Files.write(folder.resolve("some.txt"), some);
        say(
                "Tomorrow there is a fourth. Of 24 capitals, only what it gets has to move; dividing by the number of caches would");
        say("move most of them:");
        run(folder, "place", "--nodes", "caches.txt", "--input", "some.txt", "--then", "tomorrow.txt");
    }

    private void beyond(Path folder) throws IOException {
        title("For other programs, and for more data");
        say(
                "'perhaps serve' keeps filters and counts by name for any Redis client. Here is one, started for the tour, that reads");
        say("the filter of the capitals from above:");
        Path directory = folder.resolve("keys");
        try (TourServer server = new TourServer(directory)) {
            Path files = Files.createDirectories(directory.resolve("files"));
            Files.copy(folder.resolve("capitals.filter"), files.resolve("capitals.filter"));
            say("");
            for (String command : List.of(
                    "PERHAPS.LOAD capitals capitals.filter",
                    "BF.EXISTS capitals Lisbon",
                    "BF.EXISTS capitals Atlantis",
                    "BF.ADD seen https://example.org/",
                    "BF.ADD seen https://example.org/")) {
                say("    $ redis-cli " + command);
                say("    " + server.reply(command));
            }
            say("");
        }
        say(
                "BF.EXISTS returns 1 for what is perhaps there, and 0 for what certainly is not; BF.ADD returns 1 for what is new");
        say("(docs/server.md).");
        say(
                "Data of more than one machine: the same structures and files in Spark SQL (docs/spark.md), and the same commands:");
        say("");
        say("    $ perhaps filter build big.txt --engine spark --master spark://HOST:7077 -o big.filter");
    }

    /** Page i is visited about as often as 1 / i of the first, and most visits are quick. */
    private static void visits(Path file) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        double scale = Math.log(PAGES + 1.0);
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            out.write("page,millis\n");
            for (int i = 0; i < VISITS; i++) {
                long page = (long) Math.exp(random.nextDouble() * scale);
                long millis = Math.round(-20 * Math.log(1 - random.nextDouble()) + 5);
                out.write("/page-" + page + "," + millis + "\n");
            }
        }
    }

    private static void bring(Path folder, String name) throws IOException {
        try (InputStream data = Tour.class.getResourceAsStream("tour/" + name)) {
            if (data == null) {
                throw new IOException("the tour's data is missing from this build");
            }
            Files.copy(data, folder.resolve(name));
        }
    }

    private static void numbers(Path file, int from) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (int i = from; i < from + KNOWN; i++) {
                out.write(Integer.toString(i));
                out.write('\n');
            }
        }
    }

    /** Shows a command as one would type it in the folder, and runs it there. */
    private static void run(Path folder, String... words) throws IOException {
        say("");
        say("    $ perhaps " + String.join(" ", words));
        Console.flush();
        List<String> arguments = new ArrayList<>();
        for (String word : words) {
            boolean file = word.matches(".*\\.(txt|csv|tsv|filter|count)");
            arguments.add(file ? folder.resolve(word).toString() : word);
        }
        Console.quote("    ", folder + "/", () -> Main.run(arguments.toArray(String[]::new)));
        say("");
    }

    private static void title(String question) throws IOException {
        say("");
        say(question);
        say("=".repeat(question.length()));
    }

    private static void say(String text) throws IOException {
        Console.println(text);
    }
}
