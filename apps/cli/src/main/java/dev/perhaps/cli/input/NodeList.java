package dev.perhaps.cli.input;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Nodes as a file names them: one line per node, {@code NAME [WEIGHT [HOST]]}, separated by white space (default:
 * weight 1 and a host of its own). Empty lines and what follows a {@code #} are left out.
 *
 * @param weights in the order of the lines
 * @param hosts what each node runs on
 */
public record NodeList(Map<String, Integer> weights, Map<String, String> hosts) {
    private static final int MAX_WORDS = 3;

    public static NodeList read(Path file) throws IOException {
        List<String> lines = lines(file);
        Map<String, Integer> weights = new LinkedHashMap<>();
        Map<String, String> hosts = new LinkedHashMap<>();
        int number = 0;
        for (String line : lines) {
            number++;
            String said = line.replaceFirst("#.*", "").strip();
            if (!said.isEmpty()) {
                take(file + " line " + number, said.split("\\s+"), weights, hosts);
            }
        }
        if (weights.isEmpty()) {
            throw new BadInput(file + " names no node: write one line per node, NAME [WEIGHT [HOST]]");
        }
        return new NodeList(weights, hosts);
    }

    private static List<String> lines(Path file) throws IOException {
        try (Input input = Input.all(List.of(file.toString())).get(0);
                Input.Open open = input.open(Input.Meter.NONE)) {
            byte[] bytes = open.stream().readAllBytes();
            int from = Texts.behindMark(bytes, 0, bytes.length);
            ByteBuffer text = ByteBuffer.wrap(bytes, from, bytes.length - from);
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(text)
                    .toString()
                    .lines()
                    .toList();
        } catch (CharacterCodingException e) {
            throw new BadInput(file + " is not UTF-8 text: name a file with one node per line");
        }
    }

    private static void take(String place, String[] words, Map<String, Integer> weights, Map<String, String> hosts) {
        if (words.length > MAX_WORDS) {
            throw new BadInput(place + " has " + words.length + " words: write NAME [WEIGHT [HOST]]");
        }
        int weight = words.length > 1 ? weight(place, words[1]) : 1;
        if (weights.put(words[0], weight) != null) {
            throw new BadInput(place + ": the node '" + words[0] + "' was named before");
        }
        hosts.put(words[0], words.length > 2 ? words[2] : words[0]);
    }

    private static int weight(String place, String word) {
        byte[] digits = word.getBytes(StandardCharsets.UTF_8);
        long weight = Numbers.parse(digits, 0, digits.length);
        if (weight < 1 || weight > Integer.MAX_VALUE) {
            throw new BadInput(place + ": a weight is a whole number from 1 on, got '" + word + "'");
        }
        return (int) weight;
    }
}
