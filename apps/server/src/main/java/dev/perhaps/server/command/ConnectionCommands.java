package dev.perhaps.server.command;

import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.wire.ReplyWriter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Commands about the connection itself. */
final class ConnectionCommands {
    private static final int MAX_NAME_BYTES = 256;

    /** The steps of one client in CLIENT LIST and CLIENT KILL. */
    private static final int LINE_STEPS = 256;

    private static final String GROUP = "connection";
    private static final String WRONG_PASSWORD = "WRONGPASS invalid username-password pair or user is disabled.";

    private ConnectionCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "PING [message]",
                "Returns PONG, or the message.",
                Keys.NONE,
                ConnectionCommands::ping,
                Flag.FAST);
        table.add(
                GROUP,
                "ECHO message",
                "Returns the message.",
                Keys.NONE,
                c -> c.reply().bulk(c.word(1)),
                Flag.FAST);
        table.add(
                GROUP,
                "QUIT",
                "Closes the connection.",
                Keys.NONE,
                ConnectionCommands::quit,
                Flag.FAST,
                Flag.NO_AUTH,
                Flag.IMMEDIATE,
                Flag.UNLOCKED);
        table.add(
                GROUP,
                "RESET",
                "Makes the connection as it was when it was new.",
                Keys.NONE,
                ConnectionCommands::reset,
                Flag.FAST,
                Flag.NO_AUTH,
                Flag.IMMEDIATE,
                Flag.UNLOCKED);
        table.add(
                GROUP,
                "SELECT index",
                "Chooses a database; there is only 0.",
                Keys.NONE,
                ConnectionCommands::select,
                Flag.FAST);
        table.add(
                GROUP,
                "HELLO [protover] [AUTH username password] [SETNAME clientname]",
                "Chooses the version of the protocol.",
                Keys.NONE,
                ConnectionCommands::hello,
                Flag.FAST,
                Flag.NO_AUTH,
                Flag.UNLOCKED,
                Flag.NO_MULTI,
                Flag.SECRET);
        table.add(
                GROUP,
                "AUTH [username] password",
                "Says who the client is.",
                Keys.NONE,
                ConnectionCommands::auth,
                Flag.FAST,
                Flag.NO_AUTH,
                Flag.UNLOCKED,
                Flag.NO_MULTI,
                Flag.SECRET);
        table.add(
                GROUP,
                "CLIENT subcommand [argument ...]",
                "Names, lists and closes connections.",
                Keys.NONE,
                ConnectionCommands::client,
                Flag.UNLOCKED);
        table.addForms(
                "client",
                "GETNAME",
                "Returns the name of the connection.",
                "ID",
                "Returns the id of the connection.",
                "INFO",
                "Describes the connection.",
                "KILL [ip:port] [ID client-id] [TYPE type] [USER username] [ADDR ip:port] [LADDR ip:port] [SKIPME yes/no]",
                "Closes connections.",
                "LIST [TYPE type] [ID client-id [client-id ...]]",
                "Describes connections, one per line.",
                "MAINT_NOTIFICATIONS [argument ...]",
                "Does nothing: there are no such notifications.",
                "NO-EVICT ON|OFF",
                "Does nothing: no connection is closed for memory that others take.",
                "NO-TOUCH ON|OFF",
                "Does nothing: no key is removed because it was not used.",
                "SETINFO LIB-NAME|LIB-VER value",
                "Says which library the client uses.",
                "SETNAME name",
                "Names the connection.");
        // Which other clients there are, and whether they stay, is for operators.
        table.addSubcommand(table.existing("client"), "list", Flag.ADMIN, Flag.UNLOCKED);
        table.addSubcommand(table.existing("client"), "kill", Flag.ADMIN, Flag.UNLOCKED);
    }

    private static void ping(Call call) {
        if (call.count() > 2) {
            throw call.arity();
        }
        if (call.count() == 2) {
            call.reply().bulk(call.word(1));
        } else {
            call.reply().pong();
        }
    }

    private static void quit(Call call) {
        call.reply().ok();
        call.session().connection().closeAfterReplies();
    }

    private static void reset(Call call) {
        ClientSession session = call.session();
        session.endQueue();
        call.database().transactions().unwatch(session);
        call.database().monitor().remove(session);
        session.isMonitor(false);
        session.name("");
        session.user(call.database().users().isOpen() ? Users.DEFAULT : "");
        session.version(2);
        call.reply().simple("RESET");
    }

    private static void select(Call call) {
        long index = Numbers.orError(call.word(1), CommandError.NOT_INTEGER);
        if (index != 0) {
            throw new CommandError("ERR DB index is out of range");
        }
        call.reply().ok();
    }

    private static void hello(Call call) {
        int version = call.reply().version();
        if (call.count() > 1) {
            long asked = Numbers.orError(call.word(1), "ERR Protocol version is not an integer or out of range");
            if (asked != 2 && asked != 3) {
                throw new CommandError("NOPROTO unsupported protocol version");
            }
            version = (int) asked;
        }
        String user = null;
        String name = null;
        for (int i = 2; i < call.count(); ) {
            if (call.is(i, "AUTH") && i + 2 < call.count()) {
                user = call.text(i + 1);
                if (!call.database().users().isRight(user, call.text(i + 2))) {
                    call.database().wrongPassword(call.session(), user);
                    throw new CommandError(WRONG_PASSWORD);
                }
                i += 3;
            } else if (call.is(i, "SETNAME") && i + 1 < call.count()) {
                name = clientName(call, i + 1);
                i += 2;
            } else {
                throw new CommandError("ERR Syntax error in HELLO option '" + call.text(i) + "'");
            }
        }
        if (user == null && !call.session().isKnown()) {
            throw new CommandError(
                    "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time");
        }
        if (user != null) {
            call.session().user(user);
        }
        if (name != null) {
            call.session().name(name);
        }
        call.session().version(version);
        ReplyWriter reply = call.reply();
        reply.map(7);
        reply.bulk("server");
        reply.bulk("redis");
        reply.bulk("version");
        reply.bulk(Database.REDIS_VERSION);
        reply.bulk("proto");
        reply.integer(version);
        reply.bulk("id");
        reply.integer(call.session().id());
        reply.bulk("mode");
        reply.bulk("standalone");
        reply.bulk("role");
        reply.bulk("master");
        reply.bulk("modules");
        reply.array(1);
        reply.map(2);
        reply.bulk("name");
        reply.bulk("bf");
        reply.bulk("ver");
        reply.integer(80_000);
    }

    private static void auth(Call call) {
        if (call.count() > 3) {
            throw new CommandError(CommandError.SYNTAX);
        }
        Users users = call.database().users();
        if (call.count() == 2 && users.isOpen()) {
            throw new CommandError(
                    "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?");
        }
        String user = call.count() == 3 ? call.text(1) : Users.DEFAULT;
        if (!users.isRight(user, call.text(call.count() - 1))) {
            call.database().wrongPassword(call.session(), user);
            throw new CommandError(WRONG_PASSWORD);
        }
        call.session().user(user);
        call.reply().ok();
    }

    private static String clientName(Call call, int i) {
        if (call.word(i).length > MAX_NAME_BYTES) {
            throw new CommandError("ERR Client names have at most " + MAX_NAME_BYTES + " bytes.");
        }
        for (byte b : call.word(i)) {
            if (b < '!' || b > '~') {
                throw new CommandError("ERR Client names cannot contain spaces, newlines or special characters.");
            }
        }
        return call.text(i);
    }

    private static void client(Call call) {
        ReplyWriter reply = call.reply();
        ClientSession session = call.session();
        String sub = call.upper(1);
        switch (sub) {
            case "SETNAME" -> {
                exactly(call, 3);
                session.name(clientName(call, 2));
                reply.ok();
            }
            case "GETNAME" -> {
                exactly(call, 2);
                if (session.name().isEmpty()) {
                    reply.nil();
                } else {
                    reply.bulk(session.name());
                }
            }
            case "SETINFO" -> {
                exactly(call, 4);
                String text = clientName(call, 3);
                if (call.is(2, "LIB-NAME")) {
                    session.library(text);
                } else if (call.is(2, "LIB-VER")) {
                    session.libraryVersion(text);
                } else {
                    throw new CommandError("ERR Unrecognized option '" + call.text(2) + "'");
                }
                reply.ok();
            }
            case "ID" -> {
                exactly(call, 2);
                reply.integer(session.id());
            }
            case "INFO" -> {
                exactly(call, 2);
                reply.verbatim(session.line(System.currentTimeMillis()) + "\n");
            }
            case "LIST" -> list(call);
            case "KILL" -> kill(call);
            case "NO-EVICT", "NO-TOUCH" -> {
                exactly(call, 3);
                if (!call.is(2, "ON") && !call.is(2, "OFF")) {
                    throw new CommandError(CommandError.SYNTAX);
                }
                reply.ok();
            }
            case "MAINT_NOTIFICATIONS" -> reply.ok();
            default -> helpOnly(call);
        }
    }

    static void exactly(Call call, int words) {
        if (call.count() != words) {
            throw CommandError.arity(call.command().name() + "|" + call.text(1).toLowerCase(Locale.ROOT));
        }
    }

    /** Replies to HELP, and refuses any other subcommand, as one that is not known. */
    static void helpOnly(Call call) {
        if (call.count() != 2 || !call.is(1, "HELP")) {
            throw unknownSub(call);
        }
        List<CommandTable.Form> forms =
                call.database().table().forms(call.command().name());
        ReplyWriter reply = call.reply();
        reply.array(3 + 2 * forms.size());
        reply.simple(call.command().upperName() + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
        for (CommandTable.Form form : forms) {
            reply.simple(form.syntax().isEmpty() ? form.word() : form.word() + " " + form.syntax());
            reply.simple("    " + form.summary());
        }
        reply.simple("HELP");
        reply.simple("    Returns this text.");
    }

    private static CommandError unknownSub(Call call) {
        return new CommandError("ERR unknown subcommand '" + call.text(1) + "'. Try "
                + call.command().upperName() + " HELP.");
    }

    /** The error for a subcommand with a wrong number of words, where Redis does not say which. */
    static CommandError unknownForm(Call call) {
        return new CommandError("ERR unknown subcommand or wrong number of arguments for '" + call.text(1) + "'. Try "
                + call.command().upperName() + " HELP.");
    }

    private static void list(Call call) {
        Predicate<ClientSession> filter = each -> true;
        if (call.count() == 4 && call.is(2, "TYPE")) {
            boolean isNormal = isNormal(call.text(3));
            filter = each -> isNormal;
        } else if (call.count() > 3 && call.is(2, "ID")) {
            Set<Long> ids = new HashSet<>();
            for (int i = 3; i < call.count(); i++) {
                ids.add(Numbers.orError(call.word(i), "ERR Invalid client ID"));
            }
            filter = each -> ids.contains(each.id());
        } else if (call.count() > 2) {
            throw new CommandError(CommandError.SYNTAX);
        }
        call.work(call.database().clients(), LINE_STEPS);
        StringBuilder lines = new StringBuilder();
        for (ClientSession each : List.copyOf(call.database().sessions().values())) {
            if (filter.test(each)) {
                lines.append(each.line(System.currentTimeMillis())).append('\n');
            }
        }
        call.reply().verbatim(lines.toString());
    }

    /** All clients are normal ones here. */
    private static boolean isNormal(String type) {
        return switch (type.toLowerCase(Locale.ROOT)) {
            case "normal" -> true;
            case "master", "replica", "slave", "pubsub" -> false;
            default -> throw new CommandError("ERR Unknown client type '" + type + "'");
        };
    }

    private static void kill(Call call) {
        if (call.count() < 3) {
            throw CommandError.arity("client|kill");
        }
        if (call.count() == 3) {
            String address = call.text(2);
            if (kill(call, each -> each.address().equals(address)) == 0) {
                throw new CommandError("ERR No such client");
            }
            call.reply().ok();
            return;
        }
        if (call.count() % 2 != 0) {
            throw new CommandError(CommandError.SYNTAX);
        }
        // What must be equal, by option: two different values of one exclude each other.
        Map<String, String> wanted = new HashMap<>();
        boolean isPossible = true;
        boolean skipsOwn = true;
        for (int i = 2; i < call.count(); i += 2) {
            String option = call.upper(i);
            String value = call.text(i + 1);
            switch (option) {
                case "ID" -> {
                    long id = Numbers.orElse(call.word(i + 1), 0);
                    if (id < 1) {
                        throw new CommandError("ERR client-id should be greater than 0");
                    }
                    value = Long.toString(id);
                }
                case "ADDR", "LADDR" -> {}
                case "TYPE" -> value = Boolean.toString(isNormal(value));
                case "USER" -> {
                    if (!call.database().users().has(value)) {
                        throw new CommandError("ERR No such user '" + value + "'");
                    }
                }
                case "SKIPME" -> {
                    skipsOwn = value.equalsIgnoreCase("yes");
                    if (!skipsOwn && !value.equalsIgnoreCase("no")) {
                        throw new CommandError(CommandError.SYNTAX);
                    }
                    continue;
                }
                default -> throw new CommandError(CommandError.SYNTAX);
            }
            String before = wanted.put(option, value);
            isPossible &= before == null || before.equals(value);
        }
        boolean isAny = isPossible;
        boolean isSkipped = skipsOwn;
        call.reply()
                .integer(kill(
                        call,
                        each -> isAny
                                && is(each.id(), wanted.get("ID"))
                                && is(each.address(), wanted.get("ADDR"))
                                && is(each.localAddress(), wanted.get("LADDR"))
                                && is(true, wanted.get("TYPE"))
                                && is(each.user(), wanted.get("USER"))
                                && (each.id() != call.session().id() || !isSkipped)));
    }

    private static boolean is(Object value, @Nullable String wanted) {
        return wanted == null || wanted.equals(value.toString());
    }

    private static long kill(Call call, Predicate<ClientSession> filter) {
        call.work(call.database().clients(), LINE_STEPS);
        long killed = 0;
        for (ClientSession each : List.copyOf(call.database().sessions().values())) {
            if (filter.test(each)) {
                killed++;
                close(call, each);
            }
        }
        return killed;
    }

    /** Closes a connection: that of the call after its reply. */
    static void close(Call call, ClientSession session) {
        if (session.id() == call.session().id()) {
            session.connection().closeAfterReplies();
        } else {
            session.connection().kill();
        }
    }
}
