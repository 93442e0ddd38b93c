package dev.perhaps.cli.input;

import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A row of a CSV file with a header is one item of one basket, each in a column of its own. The rows of a basket follow each other;
 * a basket that comes back is refused. What is refused is told apart by 64 bits of hash.
 */
final class CsvColumnBaskets implements BasketForm {
    private static final int BASKET = 0;
    private static final int ITEM = 1;

    private final String basketColumn;
    private final String itemColumn;

    CsvColumnBaskets(String basketColumn, String itemColumn) {
        this.basketColumn = basketColumn;
        this.itemColumn = itemColumn;
    }

    @Override
    public void read(String name, InputStream in, Sink sink) throws IOException {
        int[] columns = {-1, -1};
        Set<Long> seen = new HashSet<>();
        @Nullable String[] open = new @Nullable String[1];
        long[] line = {0};
        CsvRows.read(name, in, row -> {
            if (columns[BASKET] < 0) {
                columns[BASKET] = CsvRows.indexOf(name, basketColumn, row.getFields());
                columns[ITEM] = CsvRows.indexOf(name, itemColumn, row.getFields());
                return;
            }
            String place = name + " line " + row.getStartingLineNumber();
            String basket = row.getField(columns[BASKET]);
            if (!basket.equals(open[0])) {
                if (!seen.add(Key.strings().hash(basket))) {
                    throw new BadInput(place + ": the basket '" + basket
                            + "' came before, with others in between: sort the rows by '" + basketColumn + "' first");
                }
                sink.end(name, line[0]);
                open[0] = basket;
            }
            line[0] = row.getStartingLineNumber();
            byte[] item = row.getField(columns[ITEM]).getBytes(StandardCharsets.UTF_8);
            if (item.length == 0) {
                throw new BadInput(place + ": its field '" + itemColumn + "' is empty");
            }
            sink.item(item, 0, item.length);
        });
        sink.end(name, line[0]);
    }
}
