package dev.perhaps.cli.input;

import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A key is one word of a line, numbered from 1 as awk does: in an access log word 1 is the client and word 7 the path. The
 * other fields are words too; a time that starts with a bracket goes on to the next word, as in the common log format.
 * Blank lines are skipped.
 */
final class WordForm implements KeyForm {
    private static final int MAX_WORDS = 1_000;

    private final int word;
    private final int weightWord;
    private final int timeWord;
    private final Fields fields;
    private final Key.Bytes bytes;
    private final Key<byte[]> key;

    WordForm(String number, long seed, Fields fields) {
        this.word = parse("the format 'word:N'", number);
        this.weightWord = fields.weight() == null ? 0 : parse("--by", fields.weight());
        this.timeWord = fields.time() == null ? 0 : parse("--time", fields.time());
        this.fields = fields;
        this.bytes = Key.bytes().seeded(seed);
        this.key = bytes.on("word:" + word, text -> text);
    }

    private static int parse(String what, String text) {
        byte[] digits = text.getBytes(StandardCharsets.UTF_8);
        long number = Numbers.parse(digits, 0, digits.length);
        if (number < 1 || number > MAX_WORDS) {
            throw new BadInput(
                    what + " takes the number of a word of the line, from 1 to " + MAX_WORDS + ", got '" + text + "'");
        }
        return (int) number;
    }

    @Override
    public boolean isByLine() {
        return true;
    }

    @Override
    public Key<?> key() {
        return key;
    }

    @Override
    public boolean keepsKeys() {
        return true;
    }

    @Override
    public void read(String name, InputStream in, Sink sink) throws IOException {
        Entry entry = new Entry(name);
        long[] line = {0};
        int most = Math.max(word, Math.max(weightWord, timeWord + 1));
        int[] places = new int[2 * most];
        Lines.read(name, in, (text, from, to) -> {
            line[0]++;
            int count = Words.split(text, from, to, places, most);
            if (count == 0) {
                return;
            }
            entry.line(line[0]);
            if (count < word) {
                fields.bad().take(entry.where() + ": it has no word " + word);
                return;
            }
            String weight = weightWord == 0 ? null : word(text, places, weightWord, count);
            if (!fields.fill(entry, weight, timeWord == 0 ? null : time(text, places, count))) {
                return;
            }
            int start = places[2 * word - 2];
            int end = places[2 * word - 1];
            entry.text(text, from, to);
            entry.key(text, start, end);
            entry.hash(bytes.hash(text, start, end));
            sink.take(entry);
        });
    }

    private static @Nullable String word(byte[] text, int[] places, int number, int count) {
        if (count < number) {
            return null;
        }
        int start = places[2 * number - 2];
        return new String(text, start, places[2 * number - 1] - start, StandardCharsets.ISO_8859_1);
    }

    private @Nullable String time(byte[] text, int[] places, int count) {
        String first = word(text, places, timeWord, count);
        boolean open = first != null && first.startsWith("[") && !first.endsWith("]");
        String second = open ? word(text, places, timeWord + 1, count) : null;
        return second == null ? first : first + " " + second;
    }
}
