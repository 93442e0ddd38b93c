package dev.perhaps.chord.simulation;

import dev.perhaps.chord.Member;
import dev.perhaps.chord.Message;
import dev.perhaps.hash.Mix;
import java.util.Arrays;

/** The network between the nodes: how long a message takes, whether it arrives, and how often. */
final class Network {
    /*
     * The fate of a message depends on the seed, the two ends and how many went between them before, on nothing else: so
     * that a history from which something was left out stays the same elsewhere, and can be made shorter.
     *
     * Inside the assumptions a node is taken for dead only if it is. So a question whose missed deadline decides that
     * gets there, and so does its answer, whatever the weather.
     */
    private static final int SLOW_ONE_IN = 16;
    private static final int SLOW_FACTOR = 6;
    private static final int SURE_AT_ONCE = 64;

    private final Scenario scenario;
    private final Agenda agenda;
    private final int[][] sent;
    private final long[][] cutUntilMillis;
    private final long[][] sure;
    private NetworkConditions weather;

    Network(Scenario scenario, Agenda agenda) {
        this.scenario = scenario;
        this.agenda = agenda;
        this.weather = scenario.weather();
        this.sure = new long[scenario.nodes()][SURE_AT_ONCE];
        this.sent = new int[scenario.nodes()][scenario.nodes()];
        this.cutUntilMillis = new long[scenario.nodes()][scenario.nodes()];
    }

    /** No more losses, and short ways. */
    void clearUp() {
        weather = NetworkConditions.CALM;
        for (long[] row : cutUntilMillis) {
            Arrays.fill(row, 0);
        }
    }

    void cut(int from, int to, long untilMillis) {
        cutUntilMillis[from][to] = Math.max(cutUntilMillis[from][to], untilMillis);
    }

    /** Cuts the nodes in two: those whose rank, by its last three bits, is among the kinds, and the others. */
    void part(int kinds, long untilMillis) {
        for (int a = 0; a < scenario.nodes(); a++) {
            for (int b = 0; b < scenario.nodes(); b++) {
                if ((kinds >>> (a & 7) & 1) != (kinds >>> (b & 7) & 1)) {
                    cut(a, b, untilMillis);
                }
            }
        }
    }

    /** Lets the answer to a question of this node get there. */
    void assure(int node, long request) {
        sure[node][(int) (request % SURE_AT_ONCE)] = request;
    }

    /** After this number of later requests, a request has been answered, or was sent to a dead node. */
    private boolean isSure(int node, long request) {
        return request != 0 && sure[node][(int) (request % SURE_AT_ONCE)] == request;
    }

    void send(int from, Member sender, int to, long request, Message message, long nowMillis) {
        long fate = fate(from, to);
        if (!isSure(from, request) && !isSure(to, request)) {
            boolean lost = Math.floorMod(fate >>> 40, 1_000) < weather.lostPerMille();
            if (lost || cutUntilMillis[from][to] > nowMillis) {
                return;
            }
        }
        deliver(sender, to, request, message, nowMillis + way(fate));
        if (Math.floorMod(fate >>> 20, 1_000) < weather.doubledPerMille()) {
            deliver(sender, to, request, message, nowMillis + way(Mix.finish(fate)));
        }
    }

    private void deliver(Member sender, int to, long request, Message message, long atMillis) {
        Agenda.Entry entry = new Agenda.Entry(Agenda.Kind.MESSAGE, to);
        entry.from = sender;
        entry.request = request;
        entry.message = message;
        agenda.add(entry, atMillis);
    }

    private long fate(int from, int to) {
        return Mix.finish(scenario.seed() * 0x9E3779B97F4A7C15L + ((long) sent[from][to]++ << 16 | from << 8 | to));
    }

    private long way(long fate) {
        int spread = weather.spreadMillis() * ((fate >>> 60) % SLOW_ONE_IN == 0 ? SLOW_FACTOR : 1);
        return (long) weather.leastMillis() + Math.floorMod(fate & 0xFFFFF, spread + 1);
    }
}
