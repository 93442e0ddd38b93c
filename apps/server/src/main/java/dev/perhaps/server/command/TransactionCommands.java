package dev.perhaps.server.command;

import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;

/** MULTI and what belongs to it. */
final class TransactionCommands {
    private static final String GROUP = "transactions";

    private TransactionCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "MULTI",
                "Begins a transaction: commands are queued until EXEC.",
                Keys.NONE,
                TransactionCommands::multi,
                Flag.FAST,
                Flag.UNLOCKED,
                Flag.IMMEDIATE);
        table.add(
                GROUP,
                "EXEC",
                "Runs the queued commands at once.",
                Keys.NONE,
                call -> call.database().transactions().exec(call.session()),
                Flag.UNLOCKED,
                Flag.IMMEDIATE);
        table.add(
                GROUP,
                "DISCARD",
                "Forgets the queued commands.",
                Keys.NONE,
                TransactionCommands::discard,
                Flag.FAST,
                Flag.UNLOCKED,
                Flag.IMMEDIATE);
        table.add(
                GROUP,
                "WATCH key [key ...]",
                "Lets EXEC do nothing if one of these keys changes before it.",
                Keys.ALL,
                TransactionCommands::watch,
                Flag.FAST,
                Flag.UNLOCKED,
                Flag.IMMEDIATE);
        table.add(
                GROUP,
                "UNWATCH",
                "Forgets the watched keys.",
                Keys.NONE,
                TransactionCommands::unwatch,
                Flag.FAST,
                Flag.UNLOCKED);
    }

    private static void multi(Call call) {
        if (call.session().isQueuing()) {
            // What was queued stays, as in Redis.
            call.reply().error("ERR MULTI calls can not be nested");
            return;
        }
        call.session().beginQueue();
        call.reply().ok();
    }

    private static void discard(Call call) {
        if (!call.session().isQueuing()) {
            throw new CommandError("ERR DISCARD without MULTI");
        }
        call.session().endQueue();
        call.database().transactions().unwatch(call.session());
        call.reply().ok();
    }

    private static void watch(Call call) {
        if (call.session().isQueuing()) {
            call.reply().error("ERR WATCH inside MULTI is not allowed");
            return;
        }
        for (int i = 1; i < call.count(); i++) {
            call.database().transactions().watch(call.session(), call.key(i));
        }
        call.reply().ok();
    }

    private static void unwatch(Call call) {
        call.database().transactions().unwatch(call.session());
        call.reply().ok();
    }
}
