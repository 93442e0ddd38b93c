package dev.perhaps.chord.simulation;

import dev.perhaps.chord.Answer;
import dev.perhaps.chord.Effects;
import dev.perhaps.chord.Event;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.Message;
import dev.perhaps.chord.ProtocolMachine;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.Timer;
import dev.perhaps.hash.Mix;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs the peers of a scenario in virtual time, and checks the invariant after every event. At the end faults stop, and the
 * ring must become ideal and every lookup right. The same scenario gives the same history on every machine.
 */
public final class Simulation {
    /*
     *     script ──→ agenda ──→ one event ──→ machine ──→ effects ──→ network, timers ──→ agenda
     *                                            └──→ oracle: does the invariant hold?
     *
     * Inside the Assumptions of the proof, crashes and departures that they do not allow are spared, a deadline that decides
     * whether a node is dead is extended while it lives, and the invariant is checked after every event, on the members'
     * own lists. Outside, somebody remains and nothing else is kept; only the end is judged.
     */
    private static final long MAX_CALM_MILLIS = 240_000;
    private static final long PATIENCE_MILLIS = 5_000;
    private static final long LOOK_EVERY_MILLIS = 250;
    private static final long HANDING_OVER_MILLIS = 250;
    private static final long STAYS_AFTER_LEAVING_MILLIS = 1_500;
    private static final int CONTACTS = 3;
    private static final int FINAL_KEYS = 4;
    private static final long FINAL_TICKETS = 1L << 40;

    private final Scenario scenario;
    private final Protocol protocol;
    private final SimulatedNodes nodes;
    private final long[] pausedUntilMillis;
    private final Post[] posts;
    private final Agenda agenda = new Agenda();
    private final Network network;
    private final Oracle oracle;
    private final Assumptions assumptions;
    private final EventTally tally = new EventTally();
    private final List<Command> done = new ArrayList<>();
    private final @Nullable EventTrace trace;
    private long nowMillis;
    private long events;
    private long hash;
    private long noise;
    private boolean changed;
    private boolean founded;
    private boolean calm;
    private int finalAnswers;
    private @Nullable String violation;

    private Simulation(Scenario scenario, Protocol protocol, boolean traced) {
        this.scenario = scenario;
        this.protocol = protocol;
        this.nodes = new SimulatedNodes(scenario);
        this.pausedUntilMillis = new long[nodes.size()];
        this.posts = new Post[nodes.size()];
        for (int i = 0; i < posts.length; i++) {
            posts[i] = new Post(i);
        }
        this.network = new Network(scenario, agenda);
        this.oracle = new Oracle(nodes.members(), scenario.settings().successors());
        this.assumptions = new Assumptions(scenario, agenda, nodes, oracle);
        this.trace = traced ? new EventTrace(nodes, oracle) : null;
    }

    /** Runs a scenario to its end, or until something is wrong. */
    public static Outcome run(Scenario scenario, Protocol protocol) {
        return new Simulation(scenario, protocol, false).run();
    }

    /** The same, and keeps what happened last. */
    public static Outcome trace(Scenario scenario, Protocol protocol) {
        return new Simulation(scenario, protocol, true).run();
    }

    private Outcome run() {
        found();
        for (Command command : scenario.script()) {
            Agenda.Entry entry = new Agenda.Entry(Agenda.Kind.COMMAND, command.node());
            entry.command = command;
            agenda.add(entry, command.atMillis());
        }
        long calmAt = scenario.calmAtMillis();
        runUntil(calmAt);
        calm = true;
        network.clearUp();
        long idealAfter = becomeIdeal(calmAt);
        lookUpEverything();
        return new Outcome(
                scenario,
                events,
                hash,
                Optional.ofNullable(violation),
                scenario.withScript(inOrder(done)),
                tally.counts(),
                idealAfter,
                trace == null ? List.of() : trace.lines());
    }

    private static List<Command> inOrder(List<Command> commands) {
        return commands.stream()
                .sorted(Comparator.comparingLong(Command::atMillis))
                .toList();
    }

    private void found() {
        List<Member> founders = new ArrayList<>();
        for (int i = 0; i < scenario.founders(); i++) {
            founders.add(nodes.member(i * nodes.size() / scenario.founders()));
        }
        for (Member founder : founders) {
            start(
                    oracle.rank(founder),
                    founders.size() == 1 ? new Event.CreateRequest() : new Event.BootstrapRequest(founders));
        }
        founded = true;
        assumptions.raiseIfLasting();
    }

    private void runUntil(long untilMillis) {
        while (violation == null && !agenda.isEmpty()) {
            Agenda.Entry entry = agenda.next();
            if (entry.atMillis > untilMillis) {
                agenda.add(entry, entry.atMillis);
                break;
            }
            nowMillis = entry.atMillis;
            happen(entry);
        }
        nowMillis = Math.max(nowMillis, untilMillis);
    }

    /**
     * All contacts of one that joins may have gone; and rings that know only dead members of each other do not find
     * together. Somebody starts those again, with contacts among the most.
     */
    private void startAgainWhoIsLost() {
        long most = 0;
        for (int node = 0; node < nodes.size(); node++) {
            long part = nodes.isMember(node) ? nodes.acquainted(node, oracle) : 0;
            most = Long.bitCount(part) > Long.bitCount(most) ? part : most;
        }
        long strays = oracle.members() & ~most;
        tally.lost = Long.bitCount(strays);
        for (int node = 0; node < nodes.size(); node++) {
            boolean joining = nodes.runs(node) && !nodes.isMember(node) && !isDue(Agenda.Kind.STOP, node);
            strays |= joining ? 1L << node : 0;
        }
        for (long rest = strays; rest != 0; rest &= rest - 1) {
            stop(Long.numberOfTrailingZeros(rest));
        }
        for (long rest = strays; rest != 0 && violation == null; rest &= rest - 1) {
            join(Long.numberOfTrailingZeros(rest));
        }
    }

    private long becomeIdeal(long calmAt) {
        boolean startedAgain = false;
        while (violation == null && !isIdeal()) {
            if (!startedAgain && nowMillis - calmAt >= PATIENCE_MILLIS) {
                startedAgain = true;
                startAgainWhoIsLost();
            }
            if (nowMillis - calmAt > MAX_CALM_MILLIS) {
                fail("the ring is not ideal " + MAX_CALM_MILLIS / 1_000 + " s after the last fault");
            }
            runUntil(nowMillis + LOOK_EVERY_MILLIS);
        }
        return nowMillis - calmAt;
    }

    /** Returns true if no node is joining or leaving, and every member knows its neighbours. */
    private boolean isIdeal() {
        for (int node = 0; node < nodes.size(); node++) {
            boolean entering = nodes.runs(node) && !nodes.isMember(node) && !isDue(Agenda.Kind.STOP, node);
            if (entering || isDue(Agenda.Kind.HANDED_OVER, node)) {
                return false;
            }
        }
        return nodes.isIdeal(scenario.settings().successors());
    }

    private boolean isDue(Agenda.Kind kind, int node) {
        boolean[] due = new boolean[1];
        agenda.forEach(entry -> due[0] |=
                entry.kind == kind && entry.node == node && entry.life == nodes.life(node) && nodes.runs(node));
        return due[0];
    }

    private void lookUpEverything() {
        int asked = 0;
        for (int node = 0; node < nodes.size() && violation == null; node++) {
            for (int i = 0; i < FINAL_KEYS && nodes.isMember(node); i++) {
                tell(node, new Event.LookupRequest(FINAL_TICKETS + asked++, key(noise())));
            }
        }
        runUntil(nowMillis + 20L * scenario.settings().deadlineMillis());
        if (violation == null && finalAnswers != asked) {
            fail("of " + asked + " lookups at the end " + finalAnswers + " were answered");
        }
    }

    private void happen(Agenda.Entry entry) {
        int node = entry.node;
        if (entry.kind == Agenda.Kind.COMMAND) {
            events++;
            Command command = Objects.requireNonNull(entry.command);
            if (obey(command)) {
                done.add(command);
            }
            check();
            return;
        }
        ProtocolMachine machine = nodes.machine(node);
        boolean ofLife = entry.kind != Agenda.Kind.MESSAGE && entry.kind != Agenda.Kind.DEADLINE;
        if (machine == null
                || ofLife && entry.life != nodes.life(node)
                || entry.kind == Agenda.Kind.DEADLINE && !machine.awaits(entry.request)) {
            return;
        }
        if (pausedUntilMillis[node] > nowMillis) {
            agenda.add(entry, pausedUntilMillis[node]);
            return;
        }
        switch (entry.kind) {
            case MESSAGE ->
                tell(
                        node,
                        new Event.MessageReceived(
                                Objects.requireNonNull(entry.from),
                                entry.request,
                                Objects.requireNonNull(entry.message)));
            case DEADLINE -> miss(entry);
            case TIMER -> tell(node, new Event.TimerFired(Objects.requireNonNull(entry.timer), noise()));
            case HANDED_OVER -> depart(entry);
            case STOP -> stop(node);
            case COMMAND -> throw new AssertionError("handled above");
        }
    }

    private void miss(Agenda.Entry entry) {
        boolean lives = nodes.runs(entry.target) && nodes.life(entry.target) == entry.life;
        if (scenario.inside() && entry.decides && lives) {
            agenda.add(entry, nowMillis + scenario.settings().deadlineMillis());
        } else {
            tell(entry.node, new Event.RequestTimeout(entry.request));
        }
    }

    private void depart(Agenda.Entry entry) {
        if (assumptions.allow(1L << entry.node)) {
            tally.leaves++;
            done.add(new Command(nowMillis - HANDING_OVER_MILLIS, Command.Kind.LEAVE, entry.node, 0, 0));
            tell(entry.node, new Event.HandoverDone());
            due(Agenda.Kind.STOP, entry.node, STAYS_AFTER_LEAVING_MILLIS);
            return;
        }
        tally.spared++;
        if (!calm) {
            agenda.add(entry, nowMillis + HANDING_OVER_MILLIS);
        }
    }

    private Agenda.Entry due(Agenda.Kind kind, int node, long afterMillis) {
        Agenda.Entry entry = new Agenda.Entry(kind, node);
        entry.life = nodes.life(node);
        agenda.add(entry, nowMillis + afterMillis);
        return entry;
    }

    private void tell(int node, Event event) {
        events++;
        hash = Mix.finish(
                hash * 31 + nowMillis * 64 + node + (event instanceof Event.MessageReceived a ? a.request() : 0));
        if (trace != null) {
            trace.note(nowMillis, "n" + node + "  " + trace.shown(event));
        }
        ProtocolMachine machine = Objects.requireNonNull(nodes.machine(node));
        machine.step(event, nowMillis, posts[node]);
        if (changed) {
            changed = false;
            oracle.look(node, machine);
            hash = Mix.finish(hash ^ oracle.entries(machine.successors()));
            if (trace != null) {
                trace.note(nowMillis, "n" + node + "    now " + trace.shown(node));
            }
            if (founded) {
                assumptions.raiseIfLasting();
            }
            check();
        }
    }

    private void check() {
        if (scenario.inside() && founded && violation == null) {
            String broken = oracle.broken();
            if (broken != null) {
                fail(broken);
            }
        }
    }

    private void fail(String what) {
        if (violation == null) {
            violation = "at " + nowMillis + " ms, event " + events + ": " + what;
            if (trace != null) {
                trace.noteAll(nowMillis);
            }
        }
    }

    /** Returns true if it was done: not if there was nothing to do, if it was spared, or if it takes its time. */
    private boolean obey(Command command) {
        hash = Mix.finish(hash * 31 + command.what().hashCode());
        if (trace != null) {
            trace.note(nowMillis, "** " + command.what());
        }
        int node = command.node();
        switch (command.kind()) {
            case JOIN -> {
                return join(node);
            }
            case LEAVE -> {
                // The last one stays. Whether the others may go is seen when they do.
                if (nodes.isMember(node) && Long.bitCount(oracle.members()) > 1) {
                    tell(node, new Event.LeaveRequest());
                }
                return false;
            }
            case CRASH -> {
                return crash(nodes.onHostOf(node));
            }
            case PAUSE -> {
                tally.pauses++;
                pausedUntilMillis[node] = Math.max(pausedUntilMillis[node], nowMillis + command.millis());
            }
            case CUT -> {
                tally.cuts++;
                network.cut(node, command.other(), nowMillis + command.millis());
            }
            case PART -> {
                tally.cuts++;
                network.part(command.other(), nowMillis + command.millis());
            }
            case LOOKUP -> {
                if (!nodes.isMember(node)) {
                    return false;
                }
                tell(node, new Event.LookupRequest(++tally.lookups, key(noise())));
            }
        }
        return true;
    }

    private boolean join(int node) {
        if (nodes.runs(node)) {
            return false;
        }
        List<Member> contacts = new ArrayList<>();
        int from = (int) Math.floorMod(noise(), (long) nodes.size());
        for (int i = 0; i < nodes.size() && contacts.size() < CONTACTS; i++) {
            int contact = (from + i) % nodes.size();
            if (nodes.isMember(contact)) {
                contacts.add(nodes.member(contact));
            }
        }
        tally.joins++;
        start(node, contacts.isEmpty() ? new Event.CreateRequest() : new Event.JoinRequest(contacts));
        return true;
    }

    private void start(int node, Event how) {
        nodes.start(node, protocol, scenario);
        pausedUntilMillis[node] = 0;
        tell(node, how);
    }

    private boolean crash(long host) {
        if (host == 0) {
            return false;
        }
        if (!assumptions.allow(host)) {
            tally.spared++;
            return false;
        }
        tally.crashes++;
        for (long rest = host; rest != 0; rest &= rest - 1) {
            stop(Long.numberOfTrailingZeros(rest));
        }
        return true;
    }

    private void stop(int node) {
        nodes.stop(node);
        oracle.look(node, null);
    }

    private static Id key(long number) {
        return Id.hashOf("key" + number);
    }

    private long noise() {
        return Mix.finish(scenario.seed() + ++noise * 0x9E3779B97F4A7C15L);
    }

    /** Takes the effects of one node. */
    private final class Post implements Effects {
        private final int node;

        Post(int node) {
            this.node = node;
        }

        @Override
        public void ask(Member to, long request, Message message, int deadlineMillis, boolean decides) {
            if (oracle.rank(to) < 0) {
                fail("n" + node + " asks nobody");
                return;
            }
            Agenda.Entry deadline = new Agenda.Entry(Agenda.Kind.DEADLINE, node);
            deadline.request = request;
            deadline.decides = decides;
            deadline.target = oracle.rank(to);
            deadline.life = nodes.runs(deadline.target) ? nodes.life(deadline.target) : -1;
            agenda.add(deadline, nowMillis + deadlineMillis);
            if (decides && scenario.inside()) {
                network.assure(node, request);
            }
            tell(to, request, message);
        }

        @Override
        public void tell(Member to, long request, Message message) {
            int target = oracle.rank(to);
            if (target >= 0) {
                network.send(node, nodes.member(node), target, request, message, nowMillis);
            }
        }

        @Override
        public void wake(Timer timer, long afterMillis) {
            due(Agenda.Kind.TIMER, node, afterMillis).timer = timer;
        }

        @Override
        public void answer(long ticket, Answer answer) {
            boolean right = answer.owner().filter(nodes.owner(answer.key())::is).isPresent();
            if (ticket >= FINAL_TICKETS) {
                finalAnswers++;
                if (!right) {
                    fail("n" + node + " looked up " + answer.key().brief() + " at the end and found "
                            + answer.owner()
                                    .map(owner -> "n" + oracle.rank(owner))
                                    .orElse("nobody"));
                }
            } else if (answer.owner().isEmpty()) {
                tally.unanswered++;
            } else if (answer.presumed()) {
                tally.presumed++;
            } else if (!right) {
                tally.wrong++;
            }
        }

        @Override
        public void handOver(Range range, Member to) {
            if (range.to().equals(nodes.member(node).id())) {
                // All it has: it leaves.
                due(Agenda.Kind.HANDED_OVER, node, HANDING_OVER_MILLIS);
            }
        }

        @Override
        public void takeOver(Range range) {}

        @Override
        public void changed() {
            changed = true;
        }

        @Override
        public void refused(Member other) {
            fail("n" + node + " was refused for n" + oracle.rank(other));
        }
    }
}
