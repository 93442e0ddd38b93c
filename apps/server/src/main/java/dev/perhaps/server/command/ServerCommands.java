package dev.perhaps.server.command;

import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.operation.ServerSettings;
import dev.perhaps.server.operation.Setting;
import dev.perhaps.server.operation.Statistics;
import dev.perhaps.server.wire.ReplyWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Commands about the server as a whole. */
final class ServerCommands {
    private static final String GROUP = "server";
    private static final long START_MILLIS = System.currentTimeMillis();

    /** The steps of describing a command, and those of INFO: a transaction may ask often. */
    private static final long DESCRIPTION_STEPS = 128;

    private static final long INFO_STEPS = 1L << 13;

    private ServerCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "COMMAND [subcommand] [argument ...]",
                "Describes the commands.",
                Keys.NONE,
                ServerCommands::command,
                Flag.UNLOCKED);
        table.add(
                GROUP,
                "CONFIG subcommand [argument ...]",
                "Shows and sets settings.",
                Keys.NONE,
                ServerCommands::config,
                Flag.ADMIN,
                Flag.UNLOCKED,
                Flag.NO_MULTI);
        table.add(
                GROUP,
                "INFO [section ...]",
                "Returns what the server is and does.",
                Keys.NONE,
                ServerCommands::info,
                Flag.UNLOCKED);
        table.add(
                "scripting",
                "EVAL script numkeys [key ...] [argument ...]",
                "Replies to the probe of a client; other scripts are refused as an unknown command.",
                Keys.NONE,
                ServerCommands::eval,
                Flag.READONLY,
                Flag.FAST,
                Flag.UNLOCKED);
        table.add(GROUP, "TIME", "Returns the time of the server.", Keys.NONE, ServerCommands::time, Flag.FAST);
        table.add(
                GROUP,
                "WAIT numreplicas timeout",
                "Returns the number of replicas, which is 0.",
                Keys.NONE,
                ServerCommands::waitFor);
        table.add(
                GROUP,
                "SAVE",
                "Writes a snapshot of all keys, and returns when it is complete.",
                Keys.NONE,
                ServerCommands::save,
                Flag.ADMIN,
                Flag.UNLOCKED,
                Flag.NO_MULTI);
        table.add(
                GROUP,
                "BGSAVE [SCHEDULE]",
                "Begins to write a snapshot of all keys.",
                Keys.NONE,
                ServerCommands::saveInBackground,
                Flag.ADMIN,
                Flag.UNLOCKED,
                Flag.NO_MULTI);
        table.add(
                GROUP,
                "BGREWRITEAOF",
                "Begins to write a snapshot of all keys, which takes the place of the log so far.",
                Keys.NONE,
                ServerCommands::rewriteLog,
                Flag.ADMIN,
                Flag.UNLOCKED,
                Flag.NO_MULTI);
        table.add(
                GROUP,
                "LASTSAVE",
                "Returns when the newest snapshot was complete, in seconds since 1970.",
                Keys.NONE,
                call -> call.reply().integer(durability(call).lastSaveSeconds()),
                Flag.FAST);
        table.add(
                GROUP,
                "DEBUG subcommand [argument ...]",
                "RELOAD writes a snapshot and reads all keys again from the disk.",
                Keys.NONE,
                ServerCommands::debug,
                Flag.ADMIN,
                Flag.UNLOCKED,
                Flag.NO_MULTI);
        table.add(
                GROUP,
                "SHUTDOWN [NOSAVE] [SAVE] [NOW] [FORCE]",
                "Stops the server.",
                Keys.NONE,
                ServerCommands::stop,
                Flag.ADMIN,
                Flag.UNLOCKED,
                Flag.NO_MULTI);
        table.add(
                GROUP,
                "MONITOR",
                "Shows every command that the server runs.",
                Keys.NONE,
                ServerCommands::monitor,
                Flag.ADMIN,
                Flag.UNLOCKED,
                Flag.NO_MULTI);
        table.add(
                GROUP,
                "SLOWLOG subcommand [count]",
                "Shows the commands that took long.",
                Keys.NONE,
                ServerCommands::slowlog,
                Flag.ADMIN,
                Flag.UNLOCKED);
        table.add(
                GROUP,
                "LATENCY subcommand [event ...]",
                "Shows events that took long; none are recorded.",
                Keys.NONE,
                ServerCommands::latency,
                Flag.ADMIN,
                Flag.UNLOCKED);
        addForms(table);
    }

    private static void addForms(CommandTable table) {
        table.addForms(
                "command",
                "COUNT",
                "Returns the number of commands.",
                "DOCS [command-name ...]",
                "Describes commands with their arguments.",
                "GETKEYS command [argument ...]",
                "Returns the keys among the words of a command.",
                "INFO [command-name ...]",
                "Returns arity, flags and categories of commands.",
                "LIST",
                "Returns the names of all commands.");
        table.addForms(
                "config",
                "GET pattern [pattern ...]",
                "Returns settings.",
                "RESETSTAT",
                "Sets the statistics back to 0.",
                "SET parameter value [parameter value ...]",
                "Changes settings until the server stops.");
        table.addForms("debug", "RELOAD", "Writes a snapshot and reads all keys again from the disk.");
        table.addForms(
                "slowlog",
                "GET [count]",
                "Returns the newest entries (default: 10; -1: all).",
                "LEN",
                "Returns the number of entries.",
                "RESET",
                "Removes all entries.");
        table.addForms(
                "latency",
                "DOCTOR",
                "Says where to look instead.",
                "HISTORY event",
                "Returns nothing: no events are recorded.",
                "LATEST",
                "Returns nothing: no events are recorded.",
                "RESET [event ...]",
                "Returns 0: no events are recorded.");
    }

    /** Redisson asks by this script, which returns nothing, whether the keys of one script may be on different servers. */
    private static final String PROBE = "redis.call('get', KEYS[1]) redis.call('get', KEYS[2])";

    private static void eval(Call call) {
        if (call.count() == 5
                && call.text(1).equals(PROBE)
                && call.text(2).equals("2")
                && call.text(3).equals("test1")
                && call.text(4).equals("test2")) {
            call.reply().nil();
        } else {
            throw CommandError.unknown(call.words());
        }
    }

    // COMMAND

    private static void command(Call call) {
        CommandTable table = call.database().table();
        ReplyWriter reply = call.reply();
        call.work(Math.max(call.count(), table.commands().size()), DESCRIPTION_STEPS);
        if (call.count() == 1) {
            reply.array(table.commands().size());
            table.commands().forEach(each -> describe(each, reply));
            return;
        }
        switch (call.upper(1)) {
            case "COUNT" -> {
                ConnectionCommands.exactly(call, 2);
                reply.integer(table.commands().size());
            }
            case "LIST" -> {
                reply.array(table.commands().size());
                table.commands().forEach(each -> reply.bulk(each.name()));
            }
            case "INFO" -> {
                List<@Nullable Command> asked = asked(call);
                reply.array(asked.size());
                for (Command each : asked) {
                    if (each == null) {
                        reply.nilArray();
                    } else {
                        describe(each, reply);
                    }
                }
            }
            case "DOCS" -> {
                List<Command> known = new ArrayList<>();
                for (Command each : asked(call)) {
                    if (each != null) {
                        known.add(each);
                    }
                }
                reply.map(known.size());
                known.forEach(each -> document(each, table, reply));
            }
            case "GETKEYS" -> keys(call);
            default -> ConnectionCommands.helpOnly(call);
        }
    }

    private static List<@Nullable Command> asked(Call call) {
        CommandTable table = call.database().table();
        List<@Nullable Command> asked = new ArrayList<>();
        for (int i = 2; i < call.count(); i++) {
            asked.add(table.named(call.text(i).toLowerCase(Locale.ROOT)));
        }
        if (call.count() == 2) {
            asked.addAll(table.commands());
        }
        return asked;
    }

    private static void describe(Command command, ReplyWriter reply) {
        reply.array(10);
        reply.bulk(command.name());
        reply.integer(command.arity());
        List<String> flags = new ArrayList<>();
        for (Flag flag :
                List.of(Flag.WRITE, Flag.READONLY, Flag.DENYOOM, Flag.ADMIN, Flag.FAST, Flag.NO_AUTH, Flag.NO_MULTI)) {
            if (command.is(flag)) {
                flags.add(flag.name().toLowerCase(Locale.ROOT));
            }
        }
        reply.set(flags.size());
        flags.forEach(reply::simple);
        reply.integer(command.keys().first());
        reply.integer(command.keys().last());
        reply.integer(command.keys().step());
        Set<String> categories = CommandTable.categories(command);
        reply.set(categories.size());
        categories.forEach(reply::simple);
        reply.array(0);
        reply.array(0);
        reply.array(0);
    }

    private static void document(Command command, CommandTable table, ReplyWriter reply) {
        List<CommandTable.Form> forms = table.forms(command.name());
        reply.bulk(command.name());
        document(command, command.summary(), command.syntax(), forms.size(), reply);
        for (CommandTable.Form form : forms) {
            reply.bulk(command.name() + "|" + form.word().toLowerCase(Locale.ROOT));
            document(command, form.summary(), form.syntax(), 0, reply);
        }
    }

    /** Documents a command, up to its subcommands, of which this number follows; it then has no arguments of its own. */
    private static void document(Command command, String summary, String syntax, int forms, ReplyWriter reply) {
        reply.map(forms > 0 || !syntax.isEmpty() ? 5 : 4);
        reply.bulk("summary");
        reply.bulk(summary);
        reply.bulk("since");
        reply.bulk("1.0.0");
        reply.bulk("group");
        reply.bulk(command.group());
        reply.bulk("complexity");
        reply.bulk(command.is(Flag.FAST) ? "O(1)" : "O(N)");
        if (forms > 0) {
            reply.bulk("subcommands");
            reply.map(forms);
        } else if (!syntax.isEmpty()) {
            reply.bulk("arguments");
            Syntax.describe(syntax, reply);
        }
    }

    private static void keys(Call call) {
        if (call.count() < 3) {
            throw CommandError.arity("command|getkeys");
        }
        Command command = call.database().table().named(call.text(2).toLowerCase(Locale.ROOT));
        if (command == null) {
            throw new CommandError("ERR Invalid command specified");
        }
        byte[][] words = java.util.Arrays.copyOfRange(call.words(), 2, call.count());
        List<byte[]> keys = new ArrayList<>();
        for (int i = 1; command.takes(words.length) && i < words.length; i++) {
            if (command.isKey(i, words)) {
                keys.add(words[i]);
            }
        }
        if (keys.isEmpty()) {
            throw new CommandError("ERR The command has no key arguments");
        }
        call.reply().array(keys.size());
        keys.forEach(call.reply()::bulk);
    }

    // CONFIG

    private static void config(Call call) {
        ServerSettings settings = call.database().settings();
        switch (call.upper(1)) {
            case "GET" -> {
                if (call.count() < 3) {
                    throw CommandError.arity("config|get");
                }
                List<Setting> found = matching(call, settings);
                call.reply().map(found.size());
                for (Setting setting : found) {
                    call.reply().bulk(setting.name());
                    call.reply().bulk(setting.text());
                }
            }
            case "SET" -> {
                if (call.isReplayed()) {
                    replayConfig(call, settings);
                    return;
                }
                if (call.count() < 4 || call.count() % 2 != 0) {
                    throw CommandError.arity("config|set");
                }
                Map<Setting, byte[]> changed = new LinkedHashMap<>();
                for (int i = 2; i < call.count(); i += 2) {
                    Setting setting = settings.named(call.text(i).toLowerCase(Locale.ROOT));
                    if (setting == null) {
                        throw new CommandError(
                                "ERR Unknown option or number of arguments for CONFIG SET - '" + call.text(i) + "'");
                    }
                    String problem = setting.problem(call.word(i + 1));
                    if (!problem.isEmpty()) {
                        throw refused(setting, problem);
                    }
                    if (changed.put(setting, call.word(i + 1)) != null) {
                        throw refused(setting, "duplicate parameter");
                    }
                }
                call.database().change(List.copyOf(changed.keySet()), () -> {
                    ServerSettings.Conflict conflict = settings.conflict(changed);
                    if (conflict != null) {
                        throw refused(conflict.setting(), conflict.problem());
                    }
                    changed.forEach(Setting::set);
                });
                call.reply().ok();
            }
            case "RESETSTAT" -> {
                ConnectionCommands.exactly(call, 2);
                call.database().statistics().reset();
                call.reply().ok();
            }
            default -> ConnectionCommands.helpOnly(call);
        }
    }

    /** The settings whose name matches any of the patterns, in at most the steps of one command. */
    private static List<Setting> matching(Call call, ServerSettings settings) {
        Set<Setting> found = new HashSet<>();
        long left = Call.MAX_STEPS;
        for (int i = 2; i < call.count(); i++) {
            Glob glob = new Glob(Call.bytes(call.text(i).toLowerCase(Locale.ROOT)), left);
            for (Setting setting : settings.all()) {
                if (glob.matches(Call.bytes(setting.name()))) {
                    found.add(setting);
                }
            }
            left -= glob.steps() + settings.all().size();
        }
        return settings.all().stream().filter(found::contains).toList();
    }

    private static CommandError refused(Setting setting, String problem) {
        return new CommandError(
                "ERR CONFIG SET failed (possibly related to argument '" + setting.name() + "') - " + problem);
    }

    /** Sets what was set, also outside of today's limits; those of the log itself do not matter to commands. */
    private static void replayConfig(Call call, ServerSettings settings) {
        for (int i = 2; i + 1 < call.count(); i += 2) {
            Setting setting = settings.named(call.text(i));
            if (setting != null) {
                setting.set(call.word(i + 1));
            }
        }
    }

    // INFO

    private static void info(Call call) {
        call.work(INFO_STEPS);
        List<String> asked = new ArrayList<>();
        for (int i = 1; i < call.count(); i++) {
            asked.add(call.text(i).toLowerCase(Locale.ROOT));
        }
        boolean isAll =
                asked.isEmpty() || asked.contains("all") || asked.contains("default") || asked.contains("everything");
        StringBuilder text = new StringBuilder();
        for (String section : List.of(
                "server", "clients", "memory", "persistence", "stats", "replication", "keyspace", "commandstats")) {
            boolean isWanted = asked.contains(section)
                    || isAll
                            && (!section.equals("commandstats")
                                    || asked.contains("all")
                                    || asked.contains("everything"));
            if (isWanted) {
                text.append(text.isEmpty() ? "# " : "\r\n# ")
                        .append(Character.toUpperCase(section.charAt(0)))
                        .append(section.substring(1))
                        .append("\r\n");
                section(call.database(), section, text);
            }
        }
        call.reply().verbatim(text.toString());
    }

    private static void section(Database database, String section, StringBuilder text) {
        Statistics statistics = database.statistics();
        switch (section) {
            case "server" -> {
                long up = (System.currentTimeMillis() - START_MILLIS) / 1_000;
                line(text, "redis_version", Database.REDIS_VERSION);
                line(text, "server_name", "perhaps");
                line(text, "redis_mode", "standalone");
                line(text, "os", System.getProperty("os.name"));
                line(text, "arch_bits", 64);
                line(text, "process_id", ProcessHandle.current().pid());
                line(text, "uptime_in_seconds", up);
                line(text, "uptime_in_days", up / 86_400);
            }
            case "clients" -> {
                line(text, "connected_clients", database.clients());
                line(text, "maxclients", database.settings().maxClients.whole());
                line(text, "blocked_clients", 0);
            }
            case "memory" -> {
                Runtime runtime = Runtime.getRuntime();
                line(text, "used_memory", database.keyspace().usedBytes());
                line(text, "used_memory_heap", runtime.totalMemory() - runtime.freeMemory());
                line(text, "maxmemory", database.settings().maxMemory.whole());
                line(text, "maxmemory_policy", "noeviction");
            }
            case "persistence" -> {
                line(text, "loading", 0);
                Durability log = database.durability();
                if (log == null) {
                    line(text, "aof_enabled", 0);
                } else {
                    log.describe((name, value) -> line(text, name, value));
                }
            }
            case "stats" -> {
                line(text, "total_connections_received", statistics.connections());
                line(text, "total_commands_processed", statistics.commands());
                line(text, "rejected_connections", statistics.refusals());
                line(text, "expired_keys", statistics.expirations());
                line(text, "evicted_keys", 0);
                line(text, "total_error_replies", statistics.errors());
            }
            case "replication" -> {
                line(text, "role", "master");
                line(text, "connected_slaves", 0);
            }
            case "keyspace" -> {
                long keys = database.keyspace().size();
                if (keys > 0) {
                    line(
                            text,
                            "db0",
                            "keys=" + keys + ",expires=" + Math.min(keys, database.expiring()) + ",avg_ttl=0");
                }
            }
            default ->
                new TreeMap<>(statistics.perCommand()).forEach((name, counts) -> {
                    long calls = counts.calls().sum();
                    double micros = counts.nanos().sum() / 1e3;
                    line(
                            text,
                            "cmdstat_" + name,
                            String.format(
                                    Locale.ROOT,
                                    "calls=%d,usec=%.0f,usec_per_call=%.2f",
                                    calls,
                                    micros,
                                    micros / Math.max(1, calls)));
                });
        }
    }

    private static void line(StringBuilder text, String name, Object value) {
        text.append(name).append(':').append(value).append("\r\n");
    }

    // The rest

    private static void time(Call call) {
        long micros = System.currentTimeMillis() * 1_000;
        call.reply().array(2);
        call.reply().bulk(Long.toString(micros / 1_000_000));
        call.reply().bulk(Long.toString(micros % 1_000_000));
    }

    private static void waitFor(Call call) {
        Numbers.orError(call.word(1), CommandError.NOT_INTEGER);
        long timeout = Numbers.orError(call.word(2), "ERR timeout is not an integer or out of range");
        if (timeout < 0) {
            throw new CommandError("ERR timeout is negative");
        }
        call.reply().integer(0);
    }

    /** Who asks for a snapshot of a server that keeps nothing must not believe that there is one. */
    private static Durability durability(Call call) {
        Durability log = call.database().durability();
        if (log == null) {
            throw new CommandError("ERR this server keeps its keys in memory only");
        }
        return log;
    }

    private static void okAfter(Call call, CompletableFuture<Void> done) {
        ReplyWriter reply = call.reply();
        call.session().replyAfter(done, problem -> {
            if (problem == null) {
                reply.ok();
            } else {
                reply.error("ERR " + reason(problem));
            }
        });
    }

    private static String reason(Throwable problem) {
        Throwable cause =
                problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        return String.valueOf(cause.getMessage());
    }

    private static void save(Call call) {
        Durability log = durability(call);
        if (log.isSaving()) {
            throw new CommandError("ERR Background save already in progress");
        }
        okAfter(call, log.save());
    }

    private static void saveInBackground(Call call) {
        Durability log = durability(call);
        boolean isScheduled = call.count() == 2 && call.is(1, "SCHEDULE");
        if (call.count() > 1 && !isScheduled) {
            throw new CommandError(CommandError.SYNTAX);
        }
        boolean isSaving = log.isSaving();
        if (isSaving && !isScheduled) {
            throw new CommandError("ERR Background save already in progress");
        }
        var unused = log.save();
        call.reply().simple(isSaving ? "Background saving scheduled" : "Background saving started");
    }

    private static void rewriteLog(Call call) {
        Durability log = durability(call);
        if (log.isSaving()) {
            throw new CommandError("ERR Background append only file rewriting already in progress");
        }
        var unused = log.save();
        call.reply().simple("Background append only file rewriting started");
    }

    private static void debug(Call call) {
        if (!call.is(1, "RELOAD")) {
            ConnectionCommands.helpOnly(call);
            return;
        }
        okAfter(call, durability(call).reload());
    }

    private static void stop(Call call) {
        boolean saves = false;
        boolean savesNot = false;
        boolean isForced = false;
        for (int i = 1; i < call.count(); i++) {
            switch (call.upper(i)) {
                case "SAVE" -> saves = true;
                case "FORCE" -> isForced = true;
                case "NOSAVE" -> savesNot = true;
                case "NOW" -> {}
                default -> throw new CommandError(CommandError.SYNTAX);
            }
        }
        if (saves && savesNot) {
            throw new CommandError(CommandError.SYNTAX);
        }
        Durability log = saves ? durability(call) : call.database().durability();
        ClientSession session = call.session();
        Runnable shutdown = call.database().shutdown();
        if (log == null || isForced && !saves) {
            session.connection().closeAfterReplies();
            shutdown.run();
            return;
        }
        boolean stopsAnyway = isForced;
        ReplyWriter reply = call.reply();
        // It stops also if the client has gone meanwhile.
        CompletableFuture<Void> done = (saves ? log.save() : log.sync()).whenComplete((nothing, problem) -> {
            if (problem == null || stopsAnyway) {
                shutdown.run();
            }
        });
        session.replyAfter(done, problem -> {
            if (problem == null || stopsAnyway) {
                session.connection().closeAfterReplies();
            } else {
                reply.error("ERR Errors trying to SHUTDOWN: " + reason(problem));
            }
        });
    }

    private static void monitor(Call call) {
        call.session().isMonitor(true);
        call.database().monitor().add(call.session());
        call.reply().ok();
    }

    private static void slowlog(Call call) {
        Statistics statistics = call.database().statistics();
        ReplyWriter reply = call.reply();
        switch (call.upper(1)) {
            case "LEN" -> {
                ConnectionCommands.exactly(call, 2);
                reply.integer(statistics.slow().size());
            }
            case "RESET" -> {
                ConnectionCommands.exactly(call, 2);
                statistics.resetSlow();
                reply.ok();
            }
            case "GET" -> {
                if (call.count() > 3) {
                    throw ConnectionCommands.unknownForm(call);
                }
                long asked = call.count() > 2
                        ? Numbers.orError(call.word(2), "ERR count should be greater than or equal to -1")
                        : 10;
                if (asked < -1) {
                    throw new CommandError("ERR count should be greater than or equal to -1");
                }
                List<Statistics.Slow> all = statistics.slow();
                int count = asked < 0 ? all.size() : (int) Math.min(asked, all.size());
                reply.array(count);
                for (Statistics.Slow slow : all.subList(0, count)) {
                    reply.array(6);
                    reply.integer(slow.id());
                    reply.integer(slow.seconds());
                    reply.integer(slow.micros());
                    reply.array(slow.words().size());
                    slow.words().forEach(reply::bulk);
                    reply.bulk(slow.address());
                    reply.bulk(slow.name());
                }
            }
            default -> ConnectionCommands.helpOnly(call);
        }
    }

    private static void latency(Call call) {
        switch (call.upper(1)) {
            case "LATEST" -> {
                ConnectionCommands.exactly(call, 2);
                call.reply().array(0);
            }
            case "HISTORY" -> {
                ConnectionCommands.exactly(call, 3);
                call.reply().array(0);
            }
            case "RESET" -> call.reply().integer(0);
            case "DOCTOR" -> call.reply().verbatim("No events are recorded: see SLOWLOG and /metrics.\n");
            default -> ConnectionCommands.helpOnly(call);
        }
    }
}
