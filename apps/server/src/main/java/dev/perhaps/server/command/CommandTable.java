package dev.perhaps.server.command;

import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Handler;
import dev.perhaps.server.command.Command.Keys;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All commands by name. Immutable once made. */
final class CommandTable {
    /*
     * Every request looks its command up: `byHash` has them by the bytes of their names, in letters of any case, so that no text
     * is made of the word. Places after the one of the hash are tried in turn.
     */
    private static final int PLACES = 1 << 11;
    private static final int MAX_SUBCOMMAND = 32;
    private static final CommandTable ALL = new CommandTable();

    static {
        ConnectionCommands.addTo(ALL);
        ServerCommands.addTo(ALL);
        AccessCommands.addTo(ALL);
        KeyCommands.addTo(ALL);
        StringCommands.addTo(ALL);
        TransactionCommands.addTo(ALL);
        BloomCommands.addTo(ALL);
        CuckooCommands.addTo(ALL);
        CountMinCommands.addTo(ALL);
        TopKCommands.addTo(ALL);
        TDigestCommands.addTo(ALL);
        DistinctCommands.addTo(ALL);
        QuotientCommands.addTo(ALL);
        CountingCommands.addTo(ALL);
        FuseCommands.addTo(ALL);
        RangeCommands.addTo(ALL);
        RingCommands.addTo(ALL);
        SimilarityCommands.addTo(ALL);
        GuardCommands.addTo(ALL);
        PwnedCommands.addTo(ALL);
        PerhapsCommands.addTo(ALL);
    }

    /** Commands without {@link Flag#ADMIN} that Redis also calls dangerous. */
    private static final Set<String> DANGEROUS = Set.of("keys", "flushall", "flushdb", "info", "restore", "lastsave");

    /**
     * A subcommand.
     *
     * @param word in upper case
     * @param syntax the words after it
     * @param summary one sentence
     */
    record Form(String word, String syntax, String summary) {}

    private final Map<String, Command> commands = new LinkedHashMap<>();
    private final Map<String, List<Form>> forms = new HashMap<>();
    private final Map<String, Command> subcommands = new LinkedHashMap<>();
    private final @Nullable Command[] byHash = new Command[PLACES];

    private CommandTable() {}

    static CommandTable all() {
        return ALL;
    }

    /** Adds a command: its name and syntax in one text. One with subcommands is followed by {@link #addForms}. */
    void add(String group, String syntax, String summary, Keys keys, Handler handler, Flag... flags) {
        int space = syntax.indexOf(' ');
        String name = (space < 0 ? syntax : syntax.substring(0, space)).toLowerCase(Locale.ROOT);
        Set<Flag> set = flags.length == 0 ? EnumSet.noneOf(Flag.class) : EnumSet.of(flags[0], flags);
        Command command =
                new Command(name, space < 0 ? "" : syntax.substring(space + 1), summary, group, set, keys, handler);
        commands.put(name, command);
        if (commands.size() > PLACES / 4) {
            throw new IllegalStateException("more than " + PLACES / 4 + " commands");
        }
        byte[] word = Call.bytes(name);
        int place = hash(word);
        while (byHash[place] != null) {
            place = (place + 1) & (PLACES - 1);
        }
        byHash[place] = command;
    }

    /** Says which subcommands a command has, for {@code HELP} and {@code COMMAND DOCS}: the syntax of each, and a sentence. */
    void addForms(String name, String... syntaxAndSummary) {
        List<Form> all = new ArrayList<>();
        for (int i = 0; i < syntaxAndSummary.length; i += 2) {
            String syntax = syntaxAndSummary[i];
            int space = syntax.indexOf(' ');
            all.add(new Form(
                    space < 0 ? syntax : syntax.substring(0, space),
                    space < 0 ? "" : syntax.substring(space + 1),
                    syntaxAndSummary[i + 1]));
        }
        forms.put(name, List.copyOf(all));
    }

    /** The subcommands of a command; none if it has none. */
    List<Form> forms(String name) {
        return forms.getOrDefault(name, List.of());
    }

    /** Says that one subcommand has other rights than its command; its name is both of theirs, as in {@code client|kill}. */
    void addSubcommand(Command command, String word, Flag... flags) {
        String name = command.name() + "|" + word;
        Set<Flag> set = EnumSet.of(flags[0], flags);
        subcommands.put(
                name,
                new Command(
                        name, command.syntax(), command.summary(), command.group(), set, Keys.NONE, command.handler()));
    }

    /** What a request must be allowed to run: the command, or one of its subcommands that has rights of its own. */
    Command permitted(Command command, byte[][] words) {
        if (!command.hasNoKey() || words.length < 2 || words[1].length > MAX_SUBCOMMAND) {
            return command;
        }
        String word = new String(words[1], StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
        return subcommands.getOrDefault(command.name() + "|" + word, command);
    }

    @Nullable
    Command subcommand(String name) {
        return subcommands.get(name);
    }

    Collection<Command> subcommands() {
        return subcommands.values();
    }

    static int lower(byte letter) {
        return letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter;
    }

    private static int hash(byte[] word) {
        int hash = word.length;
        for (byte letter : word) {
            hash = 31 * hash + lower(letter);
        }
        return (hash ^ hash >>> 11) & (PLACES - 1);
    }

    /** The command that a word names, in letters of any case. */
    @Nullable
    Command named(byte[] word) {
        for (int place = hash(word); ; place = (place + 1) & (PLACES - 1)) {
            Command command = byHash[place];
            if (command == null || command.isNamed(word)) {
                return command;
            }
        }
    }

    @Nullable
    Command named(String name) {
        return commands.get(name);
    }

    Command existing(String name) {
        Command command = commands.get(name);
        if (command == null) {
            throw new IllegalArgumentException("there is no command '" + name + "'");
        }
        return command;
    }

    Collection<Command> commands() {
        return commands.values();
    }

    /** The categories of a command for rules of access, each with an '@' before it. */
    static Set<String> categories(Command command) {
        Set<String> names = new LinkedHashSet<>();
        names.add("@"
                + switch (command.group()) {
                    case "bf" -> "bloom";
                    case "cf" -> "cuckoo";
                    case "cms" -> "cms";
                    case "topk" -> "topk";
                    case "generic" -> "keyspace";
                    case "transactions" -> "transaction";
                    default -> command.group();
                });
        if (command.is(Flag.WRITE)) {
            names.add("@write");
        }
        if (command.is(Flag.READONLY)) {
            names.add("@read");
        }
        if (command.is(Flag.ADMIN)) {
            names.add("@admin");
        }
        if (command.is(Flag.ADMIN) || DANGEROUS.contains(command.name())) {
            names.add("@dangerous");
        }
        names.add(command.is(Flag.FAST) ? "@fast" : "@slow");
        return names;
    }

    static Set<String> categoryNames() {
        Set<String> names = new TreeSet<>();
        ALL.commands().forEach(command -> categories(command).forEach(name -> names.add(name.substring(1))));
        return names;
    }
}
