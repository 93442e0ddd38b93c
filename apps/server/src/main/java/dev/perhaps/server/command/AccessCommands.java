package dev.perhaps.server.command;

import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** {@code ACL}: who may do what. */
final class AccessCommands {
    private AccessCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                "server",
                "ACL subcommand [argument ...]",
                "Shows and sets users and what they may do.",
                Keys.NONE,
                AccessCommands::acl,
                Flag.ADMIN,
                Flag.UNLOCKED,
                Flag.SECRET,
                Flag.NO_MULTI);
        table.addForms(
                "acl",
                "CAT [category]",
                "Returns the categories, or the commands of one.",
                "DELUSER username [username ...]",
                "Removes users and closes their connections.",
                "LIST",
                "Returns the rules of all users.",
                "SETUSER username [rule ...]",
                "Creates a user, or changes its rules.",
                "USERS",
                "Returns the names of all users.",
                "WHOAMI",
                "Returns the user of the connection.");
        table.addSubcommand(table.existing("acl"), "whoami", Flag.UNLOCKED);
        table.addSubcommand(table.existing("acl"), "cat", Flag.UNLOCKED);
    }

    private static void acl(Call call) {
        Users users = call.database().users();
        switch (call.upper(1)) {
            case "WHOAMI" -> {
                ConnectionCommands.exactly(call, 2);
                call.reply().bulk(call.session().user());
            }
            case "LIST" -> {
                ConnectionCommands.exactly(call, 2);
                bulks(call, users.lines());
            }
            case "USERS" -> {
                ConnectionCommands.exactly(call, 2);
                bulks(call, users.names());
            }
            case "CAT" -> {
                if (call.count() == 2) {
                    bulks(call, List.copyOf(CommandTable.categoryNames()));
                    return;
                }
                if (call.count() > 3) {
                    throw ConnectionCommands.unknownForm(call);
                }
                String category = call.text(2);
                if (!CommandTable.categoryNames().contains(category)) {
                    throw new CommandError("ERR Unknown category '" + category + "'");
                }
                bulks(
                        call,
                        Stream.concat(
                                        call.database().table().commands().stream(),
                                        call.database().table().subcommands().stream())
                                .filter(command ->
                                        CommandTable.categories(command).contains("@" + category))
                                .map(Command::name)
                                .toList());
            }
            case "SETUSER" -> {
                if (call.count() < 3) {
                    throw CommandError.arity("acl|setuser");
                }
                List<String> rules = new ArrayList<>();
                for (byte[] word : Arrays.asList(call.words()).subList(3, call.count())) {
                    rules.add(new String(word, StandardCharsets.UTF_8));
                }
                change(call, () -> users.set(call.text(2), rules));
                call.reply().ok();
            }
            case "DELUSER" -> {
                if (call.count() < 3) {
                    throw CommandError.arity("acl|deluser");
                }
                Set<String> removed = new HashSet<>();
                Set<String> names = new HashSet<>();
                for (int i = 2; i < call.count(); i++) {
                    names.add(call.text(i));
                }
                change(call, () -> removed.addAll(users.remove(names)));
                for (ClientSession session :
                        List.copyOf(call.database().sessions().values())) {
                    if (removed.contains(session.user())) {
                        ConnectionCommands.close(call, session);
                    }
                }
                call.reply().integer(removed.size());
            }
            default -> ConnectionCommands.helpOnly(call);
        }
    }

    /** Changes users, here and on the disk; if the disk takes them not, nothing has changed. */
    private static void change(Call call, Runnable change) {
        Users users = call.database().users();
        Durability log = call.database().durability();
        try {
            users.change(change, log == null ? lines -> {} : log::keepUsers);
        } catch (UncheckedIOException e) {
            throw new CommandError("MISCONF Errors writing the users: " + e.getMessage());
        }
    }

    private static void bulks(Call call, List<String> texts) {
        call.reply().array(texts.size());
        texts.forEach(call.reply()::bulk);
    }
}
