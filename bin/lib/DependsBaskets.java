import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Baskets from Debian's package index, and all pairs of their items counted one by one.
 *
 * <pre>
 *   java DependsBaskets.java baskets          an index on standard input, one line per basket on standard output
 *   java DependsBaskets.java check BASKETS T PAIRS   holds what 'perhaps baskets --threshold T' said against all pairs
 * </pre>
 *
 * A package with a Depends field is a basket; its items are the names of the packages it depends on, without versions and
 * architectures, and of alternatives (a | b) the first.
 */
final class DependsBaskets {
    private DependsBaskets() {}

    public static void main(String[] args) throws IOException {
        if (args[0].equals("baskets")) {
            baskets();
        } else {
            System.exit(check(Path.of(args[1]), Double.parseDouble(args[2]), Path.of(args[3])) ? 0 : 1);
        }
    }

    private static void baskets() throws IOException {
        String field = "Depends: ";
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
                BufferedWriter out = Files.newBufferedWriter(Path.of("/dev/stdout"))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith(field)) {
                    Set<String> names = new LinkedHashSet<>();
                    for (String dependency : line.substring(field.length()).split(",")) {
                        names.add(dependency.strip().split("[ (:\\[|]", 2)[0]);
                    }
                    out.write(String.join(" ", names) + "\n");
                }
            }
        }
    }

    private static boolean check(Path basketsFile, double threshold, Path pairsFile) throws IOException {
        List<String> baskets = Files.readAllLines(basketsFile);
        Map<String, Integer> supports = new HashMap<>();
        Map<String, Integer> commons = new HashMap<>();
        for (String basket : baskets) {
            String[] items = basket.split(" ");
            Arrays.sort(items);
            for (int i = 0; i < items.length; i++) {
                supports.merge(items[i], 1, Integer::sum);
                for (int j = i + 1; j < items.length; j++) {
                    commons.merge(items[i] + "\t" + items[j], 1, Integer::sum);
                }
            }
        }
        Set<String> truth = new HashSet<>();
        commons.forEach((pair, common) -> {
            String[] items = pair.split("\t");
            int a = supports.get(items[0]);
            int b = supports.get(items[1]);
            double jaccard = (double) common / (a + b - common);
            if (jaccard >= threshold) {
                truth.add(pair + "\t" + jaccard + "\t" + a + "\t" + b + "\t" + common);
            }
        });
        List<String> told = Files.readAllLines(pairsFile);
        long right = told.stream().filter(truth::contains).distinct().count();
        double recall = (double) right / truth.size();
        double precision = (double) right / told.size();
        System.out.printf(
                "baskets %,d   items %,d   pairs at J >= %s: %,d   told %,d   recall %.5f   precision %.3f%n",
                baskets.size(), supports.size(), threshold, truth.size(), told.size(), recall, precision);
        return recall >= 0.99 && precision == 1;
    }
}
