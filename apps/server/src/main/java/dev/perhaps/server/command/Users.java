package dev.perhaps.server.command;

import dev.perhaps.server.command.Command.Flag;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Who may use the server: users with passwords, commands and patterns of keys. Passwords are kept as SHA-256. Thread-safe. */
public final class Users {
    /** The user of clients that give a password only, or none. */
    public static final String DEFAULT = "default";

    private static final String NAME_RULE = "[+-]@?[a-z][a-z0-9._|-]*";
    private static final int MAX_USERS = 10_000;
    private static final int MAX_RULES = 10_000;

    /** What the file of users may have; a larger one could not be read back. */
    private static final int MAX_CHARACTERS = 16 << 20;

    /** Immutable; the rules in the order in which they were given. */
    private record User(
            boolean isOn, boolean needsNoPassword, List<String> hashes, List<String> commands, List<String> keys) {
        static final User NEW = new User(false, false, List.of(), List.of("-@all"), List.of());

        int rules() {
            return hashes.size() + commands.size() + keys.size();
        }

        boolean mayRun(Command command) {
            boolean may = false;
            for (String rule : commands) {
                String what = rule.substring(1);
                boolean fits = what.charAt(0) == '@'
                        ? what.equals("@all")
                                || CommandTable.categories(command).contains(what)
                        : what.equals(command.name()) || command.name().startsWith(what + "|");
                may = fits ? rule.charAt(0) == '+' : may;
            }
            return may;
        }

        /** True for the usual user, who may do everything: asked before each command. */
        boolean mayAll() {
            return commands.size() == 1
                    && commands.get(0).equals("+@all")
                    && keys.size() == 1
                    && keys.get(0).equals("*");
        }

        /** Returns the steps that are left of these after a key has been matched with the patterns; refuses it if none fits. */
        long use(byte[] key, long steps) {
            long left = steps;
            for (String pattern : keys) {
                Glob glob = new Glob(pattern.getBytes(StandardCharsets.UTF_8), left);
                if (glob.matches(key)) {
                    return left - glob.steps() - 1;
                }
                left -= glob.steps() + 1;
            }
            throw new CommandError("NOPERM No permissions to access a key");
        }

        String line(String name) {
            StringBuilder line = new StringBuilder("user " + name + (isOn ? " on" : " off"));
            if (needsNoPassword) {
                line.append(" nopass");
            }
            hashes.forEach(hash -> line.append(" #").append(hash));
            keys.forEach(pattern -> line.append(" ~").append(pattern));
            if (keys.isEmpty()) {
                line.append(" resetkeys");
            }
            line.append(" resetchannels");
            commands.forEach(rule -> line.append(' ').append(rule));
            return line.toString();
        }
    }

    private volatile Map<String, User> all =
            Map.of(DEFAULT, new User(true, true, List.of(), List.of("+@all"), List.of("*")));

    /** The SHA-256 of the password that the command line demands of the default user, and whether it needed none before. */
    private String demanded = "";

    private boolean wasOpen;

    /** Returns true if a client needs no password. */
    public boolean isOpen() {
        User user = all.get(DEFAULT);
        return user != null && user.isOn && user.needsNoPassword;
    }

    /**
     * Demands this password of clients that name no user, beside the passwords that the user has been given. All other rules stay: if
     * it was switched off, it is.
     */
    public synchronized void requirePassword(String password) {
        User user = all.getOrDefault(DEFAULT, User.NEW);
        demanded = sha256(password);
        wasOpen = user.needsNoPassword;
        put(DEFAULT, new User(user.isOn, false, with(user.hashes, demanded), user.commands, user.keys));
    }

    /** The lines to be kept: without the password that was demanded, which may be another one at the next start. */
    private List<String> kept() {
        Map<String, User> kept = new TreeMap<>(all);
        User user = all.get(DEFAULT);
        if (user != null && user.hashes.contains(demanded)) {
            List<String> others = new ArrayList<>(user.hashes);
            others.remove(demanded);
            kept.put(
                    DEFAULT,
                    new User(user.isOn, wasOpen && others.isEmpty(), List.copyOf(others), user.commands, user.keys));
        }
        return lines(kept);
    }

    private void put(String name, User user) {
        Map<String, User> changed = new TreeMap<>(all);
        changed.put(name, user);
        all = changed;
    }

    /** Changes users and keeps their lines; if either is refused, all are as they were. */
    synchronized void change(Runnable change, Consumer<List<String>> keep) {
        Map<String, User> before = all;
        boolean isDone = false;
        try {
            change.run();
            List<String> lines = kept();
            if (lines.stream().mapToLong(String::length).sum() > MAX_CHARACTERS) {
                throw new CommandError("ERR the rules of all users have more than " + MAX_CHARACTERS + " characters");
            }
            keep.accept(lines);
            isDone = true;
        } finally {
            if (!isDone) {
                all = before;
            }
        }
    }

    /** Sets all users from the lines that were kept. */
    public synchronized void load(List<String> lines) {
        for (String line : lines) {
            List<String> words = List.of(line.split(" ", -1));
            if (words.size() < 2 || !words.get(0).equals("user")) {
                throw new IllegalArgumentException("not the line of a user");
            }
            List<String> rules = new ArrayList<>(List.of("reset"));
            rules.addAll(words.subList(2, words.size()));
            try {
                put(words.get(1), rules);
            } catch (CommandError e) {
                throw new IllegalArgumentException(e.text(), e);
            }
        }
    }

    boolean isRight(String name, String password) {
        User user = all.get(name);
        boolean isRight = user != null && user.isOn && user.needsNoPassword;
        byte[] hash = sha256(password).getBytes(StandardCharsets.US_ASCII);
        if (user != null && user.isOn) {
            for (String each : user.hashes) {
                isRight |= MessageDigest.isEqual(hash, each.getBytes(StandardCharsets.US_ASCII));
            }
        }
        return isRight;
    }

    /**
     * Refuses a command that the user may not run, or not with these keys, or whose keys take more steps to match with the
     * user's patterns than one command may; returns these steps.
     */
    long check(String name, Command command, byte[][] words) {
        if (name.isEmpty() || command.is(Flag.NO_AUTH)) {
            return 0;
        }
        User user = all.get(name);
        if (user != null && user.mayAll()) {
            return 0;
        }
        Command asked = CommandTable.all().permitted(command, words);
        if (user == null || !user.mayRun(asked)) {
            throw new CommandError(
                    "NOPERM User " + name + " has no permissions to run the '" + asked.name() + "' command");
        }
        if (user.keys.contains("*")) {
            return 0;
        }
        long left = Call.MAX_STEPS;
        for (int i = 1; i < words.length; i++) {
            if (command.isKey(i, words)) {
                left = user.use(words[i], left);
            }
        }
        return Call.MAX_STEPS - left;
    }

    List<String> lines() {
        return lines(all);
    }

    private static List<String> lines(Map<String, User> users) {
        List<String> lines = new ArrayList<>();
        new TreeMap<>(users).forEach((name, user) -> lines.add(user.line(name)));
        return lines;
    }

    List<String> names() {
        return List.copyOf(new TreeMap<>(all).keySet());
    }

    /** Removes users; returns those that were there. */
    synchronized Set<String> remove(Set<String> names) {
        if (names.contains(DEFAULT)) {
            throw new CommandError("ERR The 'default' user cannot be removed");
        }
        Map<String, User> changed = new TreeMap<>(all);
        Set<String> removed = new HashSet<>(names);
        removed.retainAll(changed.keySet());
        removed.forEach(changed::remove);
        all = changed;
        return removed;
    }

    boolean has(String name) {
        return all.containsKey(name);
    }

    /** Changes a user, or makes a new one, by the rules of {@code ACL SETUSER}; a wrong rule changes nothing. */
    public synchronized void set(String name, List<String> rules) {
        if (rules.size() > MAX_RULES) {
            throw tooManyRules(rules.size());
        }
        put(name, rules);
    }

    private static CommandError tooManyRules(int number) {
        return new CommandError("ERR a user has at most " + MAX_RULES + " rules, got " + number);
    }

    private void put(String name, List<String> rules) {
        User user = all.getOrDefault(name, User.NEW);
        if (hasSpaces(name)) {
            throw new CommandError("ERR Usernames can't contain spaces or null characters");
        }
        if (!all.containsKey(name) && all.size() >= MAX_USERS) {
            throw new CommandError("ERR there are " + MAX_USERS + " users already");
        }
        for (String rule : rules) {
            User changed = changed(user, rule);
            if (changed == null) {
                throw new CommandError("ERR Error in ACL SETUSER modifier '" + rule + "': " + problem(rule));
            }
            user = changed;
        }
        // Not those of one command: a user may be given some at a time, and all of them must be read back.
        if (user.rules() > MAX_RULES) {
            throw tooManyRules(user.rules());
        }
        put(name, user);
    }

    /** What is wrong with a rule. */
    private static String problem(String rule) {
        String lower = rule.toLowerCase(Locale.ROOT);
        if (lower.startsWith("#")) {
            return "The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters";
        }
        if (lower.startsWith("<")) {
            return "The password you are trying to remove from the user does not exist";
        }
        return lower.matches(NAME_RULE) ? "Unknown command or category name in ACL" : "Syntax error";
    }

    private static @Nullable User changed(User user, String rule) {
        String lower = rule.toLowerCase(Locale.ROOT);
        return switch (lower) {
            case "on" -> new User(true, user.needsNoPassword, user.hashes, user.commands, user.keys);
            case "off" -> new User(false, user.needsNoPassword, user.hashes, user.commands, user.keys);
            case "nopass" -> new User(user.isOn, true, List.of(), user.commands, user.keys);
            case "resetpass" -> new User(user.isOn, false, List.of(), user.commands, user.keys);
            case "allkeys" -> keys(user, List.of("*"));
            case "resetkeys" -> keys(user, List.of());
            case "allcommands" -> commands(user, List.of("+@all"));
            case "nocommands" -> commands(user, List.of("-@all"));
            case "reset" -> User.NEW;
            case "resetchannels", "allchannels" -> user;
            default -> changedByPrefix(user, rule, lower);
        };
    }

    private static @Nullable User changedByPrefix(User user, String rule, String lower) {
        if (lower.startsWith("~") && lower.length() > 1 && !hasSpaces(lower)) {
            return keys(user, with(user.keys, rule.substring(1)));
        }
        if (lower.startsWith(">")) {
            return new User(user.isOn, false, with(user.hashes, sha256(rule.substring(1))), user.commands, user.keys);
        }
        if (lower.startsWith("#") && lower.matches("#[0-9a-f]{64}")) {
            return new User(user.isOn, false, with(user.hashes, lower.substring(1)), user.commands, user.keys);
        }
        if (lower.startsWith("<")) {
            List<String> hashes = new ArrayList<>(user.hashes);
            return hashes.remove(sha256(rule.substring(1)))
                    ? new User(user.isOn, user.needsNoPassword, List.copyOf(hashes), user.commands, user.keys)
                    : null;
        }
        if (lower.matches(NAME_RULE)) {
            if (lower.endsWith("@all")) {
                return commands(user, List.of(lower));
            }
            boolean isKnown = lower.charAt(1) == '@'
                    ? CommandTable.categoryNames().contains(lower.substring(2))
                    : CommandTable.all().named(lower.substring(1)) != null
                            || CommandTable.all().subcommand(lower.substring(1)) != null;
            return isKnown ? commands(user, with(user.commands, lower)) : null;
        }
        return null;
    }

    /** A name or pattern with one could not be read back from the line of its user. */
    private static boolean hasSpaces(String text) {
        return text.isEmpty() || text.chars().anyMatch(c -> c <= ' ' || Character.isWhitespace(c));
    }

    private static User keys(User user, List<String> keys) {
        return new User(user.isOn, user.needsNoPassword, user.hashes, user.commands, keys);
    }

    private static User commands(User user, List<String> commands) {
        return new User(user.isOn, user.needsNoPassword, user.hashes, commands, user.keys);
    }

    private static List<String> with(List<String> list, String more) {
        List<String> longer = new ArrayList<>(list);
        longer.remove(more);
        longer.add(more);
        return List.copyOf(longer);
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
