package dev.perhaps.cli.input;

import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A row of a CSV file with a header is one item of one basket, each in a column of its own. The rows of a basket follow
 * each other; a basket that comes back is refused. Baskets are recognised by 64 bits of hash.
 */
final class CsvColumnBaskets implements BasketForm {
    private static final int BASKET = 0;
    private static final int ITEM = 1;

    private final Table table;
    private final List<Column> columns;
    private final BadRecords bad;

    CsvColumnBaskets(Table table, String format, BadRecords bad) {
        this.table = table;
        this.columns = Column.parse("--format", format.substring(format.indexOf(':') + 1));
        this.bad = bad;
        if (columns.size() != 2) {
            throw new BadInput("--format " + format + " must name two columns, of the basket and of the item, as in"
                    + " csv:order,product, got " + columns.size());
        }
    }

    @Override
    public void read(String name, InputStream in, Sink sink) throws IOException {
        int[] at = {-1, -1};
        Set<Long> seen = new HashSet<>();
        @Nullable String[] open = new @Nullable String[1];
        long[] line = {0};
        table.read(name, in, bad, (row, number) -> {
            if (at[BASKET] < 0) {
                at[BASKET] = columns.get(BASKET).indexIn(name, row, table.header());
                at[ITEM] = columns.get(ITEM).indexIn(name, row, table.header());
                if (table.header()) {
                    table.checkHeader(name, row, columns);
                    return;
                }
            }
            String place = name + " line " + number;
            String basket = row.get(at[BASKET]);
            byte[] item = row.get(at[ITEM]).getBytes(StandardCharsets.UTF_8);
            if (item.length == 0) {
                bad.take(place + ": its field '" + columns.get(ITEM).text() + "' is empty");
                return;
            }
            if (!basket.equals(open[0])) {
                if (!seen.add(Key.strings().hash(basket))) {
                    throw new BadInput(place + ": the basket '" + basket
                            + "' came before, with others in between: sort the rows by '"
                            + columns.get(BASKET).text() + "' first");
                }
                sink.end(name, line[0]);
                open[0] = basket;
            }
            line[0] = number;
            sink.item(item, 0, item.length);
        });
        sink.end(name, line[0]);
    }
}
