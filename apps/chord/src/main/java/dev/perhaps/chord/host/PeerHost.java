package dev.perhaps.chord.host;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.chord.Answer;
import dev.perhaps.chord.Effects;
import dev.perhaps.chord.Event;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.Message;
import dev.perhaps.chord.Peer;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.Settings;
import dev.perhaps.chord.Timer;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.Blocking;
import dev.perhaps.chord.wire.ChannelFrameStream;
import dev.perhaps.chord.wire.Dispatcher;
import dev.perhaps.chord.wire.Envelope;
import dev.perhaps.chord.wire.Session;
import dev.perhaps.chord.wire.Transport;
import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.Role;
import dev.perhaps.web.SafeText;
import io.netty.channel.EventLoop;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A process that takes part in a ring: its virtual nodes, each a {@link Peer}, driven over TCP. All of them live on one
 * event loop; the methods here may be called from any thread but that one.
 *
 * <p>{@code PeerHost host = new PeerHost(Cluster.open(), Settings.usual(), log); host.listen(HostPort.of("127.0.0.1:0"), null);
 * host.begin(1, 1L << 32).join();}
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails on the event loop ends the connection, and that is seen
public final class PeerHost implements Closeable {
    /*
     *     socket ──→ Connection ──→ Transport ──→ PeerHost ──→ Peer.step ──→ effects ──→ Links ──→ socket
     *                                   │                                       └──→ timers and deadlines of the loop
     *                                   └──→ a frame stream, with a thread of its own ──→ Dispatcher
     *
     * Time is the loop's monotonic clock, so a clock that is set does nothing. A message from one node to another of the
     * same process takes the same way without the socket. A message to a node that is not here, because it was in an
     * earlier life, is answered in its name: not a member.
     *
     * Leaving: all nodes say that they leave; what they have is handed over; then they go, one after the other, and the
     * process stays a moment to tell its neighbours, when they ask, that it is no longer a member.
     */
    /** The largest number of nodes of one process. */
    public static final int MAX_VIRTUAL_NODES = 64;

    private static final int BETWEEN_LEAVES_MILLIS = 100;

    private static final long LAST_WORDS_MILLIS = 700;

    private static final int BEAT_SECONDS = 1;

    private static final int MAX_SECONDS_BETWEEN_BEATS = 5;

    private final Settings settings;
    private final Consumer<String> log;
    private final Dispatcher dispatcher;
    private final Transport transport;
    private final EventLoop loop;
    private final long startNanos = System.nanoTime();
    private final Map<Id, Node> nodes = new LinkedHashMap<>();
    private final Map<Long, CompletableFuture<LookupTrace>> lookups = new HashMap<>();
    private final CompletableFuture<Void> entered = new CompletableFuture<>();
    private Runnable changed = () -> {};
    private String address = "";
    private long lastTicket;
    private long answered;
    private volatile long beatNanos = System.nanoTime();
    private volatile boolean leaving;

    /** A process that does not listen yet. */
    public PeerHost(Cluster cluster, Settings settings, Consumer<String> log) {
        this.settings = settings;
        this.log = line -> log.accept(SafeText.of(line));
        this.dispatcher = new Dispatcher(this.log);
        this.transport = new Transport(
                cluster,
                new Transport.Receiver() {
                    @Override
                    public void received(Envelope envelope) {
                        deliver(envelope);
                    }

                    @Override
                    public boolean answerOne(ChannelFrameStream stream) {
                        return dispatcher.answerOne(stream);
                    }
                },
                this.log);
        this.loop = transport.loop();
        dispatcher.answer(Dispatcher.STATUS, "status", Role.CLIENT, (question, stream) -> {
            question.read().end();
            stream.send(status().frame());
        });
        dispatcher.answer(Dispatcher.RING, "ring", Role.CLIENT, new RingSurvey(this, cluster));
        dispatcher.answer(
                Dispatcher.OWNER,
                "owner",
                Role.CLIENT,
                (question, stream) -> OwnerLookup.answer(this, question, stream));
    }

    /** Returns the dispatcher of requests, to which more can be added. */
    public Dispatcher dispatcher() {
        return dispatcher;
    }

    /** Begins to listen, for callers and for peers, and says where others reach it. */
    @CanIgnoreReturnValue
    public String listen(HostPort at, @Nullable HostPort advertised) throws IOException {
        address = transport.listen(at, advertised);
        loop.scheduleWithFixedDelay(() -> beatNanos = System.nanoTime(), 0, BEAT_SECONDS, TimeUnit.SECONDS);
        return address;
    }

    /** Returns where others reach it; empty before it listens. */
    public String address() {
        return address;
    }

    /** Returns true if its event loop is running. */
    public boolean isHealthy() {
        return !loop.isShuttingDown()
                && System.nanoTime() - beatNanos < TimeUnit.SECONDS.toNanos(MAX_SECONDS_BETWEEN_BEATS);
    }

    /** Returns true if all its nodes are members, and it was not requested to leave or stop. */
    public boolean isReady() {
        return entered.isDone() && !entered.isCompletedExceptionally() && !leaving;
    }

    /**
     * What it counts.
     *
     * @param connections from outside, of those whose handshake is done
     * @param strangers connections whose handshake is not done
     * @param refused connections from outside, since the start
     * @param lookups answered to this process, since the start
     */
    public record Figures(Map<Session.Use, Integer> connections, int strangers, long refused, long lookups) {}

    /** Its figures as they are now. */
    public CompletableFuture<Figures> figures() {
        return CompletableFuture.supplyAsync(
                () -> new Figures(
                        transport.admission().known(),
                        transport.admission().strangers(),
                        transport.refused(),
                        answered),
                loop);
    }

    /** Called on the event loop after every change around a node; it must not wait. */
    public void whenChanged(Runnable task) {
        loop.execute(() -> changed = task);
    }

    /**
     * Begins a ring, of this process alone.
     *
     * @param firstRequest higher by 2^32 at least than in any earlier life at this address
     * @return done when all nodes are members
     */
    public CompletableFuture<Void> begin(int virtualNodes, long firstRequest) {
        return enter(virtualNodes, firstRequest, new Event.CreateRequest());
    }

    /** Joins the ring of the peers at these addresses; one that answers is enough. It is tried until it succeeds. */
    public CompletableFuture<Void> join(int virtualNodes, long firstRequest, List<String> contacts) {
        return enter(
                virtualNodes,
                firstRequest,
                new Event.JoinRequest(
                        contacts.stream().map(contact -> Member.at(contact, 0)).toList()));
    }

    private CompletableFuture<Void> enter(int virtualNodes, long firstRequest, Event event) {
        if (virtualNodes < 1 || virtualNodes > MAX_VIRTUAL_NODES) {
            throw new IllegalArgumentException(
                    "virtualNodes must be in 1.." + MAX_VIRTUAL_NODES + ", got " + virtualNodes);
        }
        loop.execute(() -> {
            for (int i = 0; i < virtualNodes; i++) {
                Member self = Member.at(address, i);
                nodes.put(self.id(), new Node(new Peer(self, settings, firstRequest)));
            }
            first().step(event);
        });
        return entered;
    }

    /** Members of an earlier life, through which a ring may be found that this process is not part of. */
    public void recall(List<Member> members) {
        loop.execute(() -> first().step(new Event.RememberedMembers(members)));
    }

    private Node first() {
        return nodes.values().iterator().next();
    }

    /** Who is responsible for this key? */
    public CompletableFuture<Answer> lookup(Id key) {
        return trace(key).thenApply(LookupTrace::answer);
    }

    /** As {@link #lookup}, with the time that each step took. */
    public CompletableFuture<LookupTrace> trace(Id key) {
        CompletableFuture<LookupTrace> answer = new CompletableFuture<>();
        loop.execute(() -> {
            if (nodes.isEmpty()) {
                answer.complete(new LookupTrace(Answer.none(key), List.of()));
                return;
            }
            long ticket = ++lastTicket;
            lookups.put(ticket, answer);
            first().step(new Event.LookupRequest(ticket, key));
        });
        return answer;
    }

    /** The nodes of this process as they are now. */
    public CompletableFuture<List<NodeView>> views() {
        return CompletableFuture.supplyAsync(
                () -> nodes.values().stream()
                        .map(node -> NodeView.of(node.peer))
                        .toList(),
                loop);
    }

    /** The short cuts of its nodes: by the id of a node, the first member at a distance of 2^k or more, by k. */
    public CompletableFuture<Map<Id, Map<Integer, Member>>> fingers() {
        return CompletableFuture.supplyAsync(
                () -> {
                    Map<Id, Map<Integer, Member>> all = new LinkedHashMap<>();
                    nodes.forEach((id, node) -> all.put(id, node.fingers()));
                    return all;
                },
                loop);
    }

    /** The members that its nodes remember: worth keeping over a restart. */
    public CompletableFuture<List<Member>> known() {
        return CompletableFuture.supplyAsync(
                () -> nodes.values().stream()
                        .flatMap(node -> node.peer.known().stream())
                        .filter(member -> !member.address().equals(address))
                        .distinct()
                        .toList(),
                loop);
    }

    /** This process as it sees itself. Waits for the event loop. */
    public HostStatus status() throws IOException {
        return new HostStatus(address, Blocking.on(views()), Blocking.on(known()), dispatcher.load());
    }

    /**
     * Leaves the ring.
     *
     * @param handedOver what has to be done first; the nodes answer as members until then
     */
    public CompletableFuture<Void> leave(CompletableFuture<Void> handedOver) {
        leaving = true;
        CompletableFuture<Void> left = new CompletableFuture<>();
        loop.execute(() -> nodes.values().forEach(node -> node.step(new Event.LeaveRequest())));
        handedOver.whenCompleteAsync(
                (done, failure) -> {
                    long millis = 0;
                    for (Node node : new ArrayList<>(nodes.values())) {
                        loop.schedule(() -> node.step(new Event.HandoverDone()), millis, TimeUnit.MILLISECONDS);
                        millis += BETWEEN_LEAVES_MILLIS;
                    }
                    loop.schedule(() -> left.complete(null), millis + LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS);
                },
                loop);
        return left;
    }

    private void deliver(Envelope envelope) {
        Node node = nodes.get(envelope.to());
        if (node != null) {
            node.timings.heard(envelope.request(), envelope.message());
            node.step(new Event.MessageReceived(envelope.from(), envelope.request(), envelope.message()));
        } else if (envelope.message() instanceof Message.Ask || envelope.message() instanceof Message.Find) {
            Member asked = new Member(envelope.to(), address);
            Envelope answer = new Envelope(envelope.from().id(), asked, envelope.request(), new Message.NotMember());
            send(envelope.from(), answer);
        }
    }

    private void send(Member to, Envelope envelope) {
        if (to.isNobody()) {
            return;
        }
        if (to.address().equals(address)) {
            loop.execute(() -> deliver(envelope));
        } else {
            transport.send(to.address(), envelope);
        }
    }

    private void noticed() {
        changed.run();
        if (entered.isDone()) {
            return;
        }
        Node first = first();
        if (first.peer.isMember()) {
            for (Node node : nodes.values()) {
                if (node.peer.status() == Peer.Status.OUTSIDE) {
                    loop.execute(() -> {
                        if (node.peer.status() == Peer.Status.OUTSIDE) {
                            node.step(new Event.JoinRequest(List.of(first.peer.self())));
                        }
                    });
                }
            }
        }
        if (nodes.values().stream().allMatch(node -> node.peer.isMember())) {
            entered.complete(null);
        }
    }

    @Override
    public void close() {
        leaving = true;
        transport.close();
        IOException stopped = new IOException("the peer is being stopped");
        entered.completeExceptionally(stopped);
    }

    /** One node, and what it wants done. */
    private final class Node implements Effects {
        private final Peer peer;
        private final Timings timings = new Timings();

        Node(Peer peer) {
            this.peer = peer;
        }

        private Map<Integer, Member> fingers() {
            Map<Integer, Member> fingers = new TreeMap<>();
            for (int k = 0; k < Id.BITS; k++) {
                int power = k;
                peer.finger(k).ifPresent(member -> fingers.put(power, member));
            }
            return fingers;
        }

        private void step(Event event) {
            long nowMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
            try {
                peer.step(event, nowMillis, this);
            } catch (RuntimeException | Error e) {
                OutOfMemoryGuard.check(e);
                log.accept(peer.self() + ": " + event + " could not be handled: " + e);
            }
        }

        @Override
        public void ask(Member to, long request, Message message, int deadlineMillis, boolean decides) {
            if (message instanceof Message.Find) {
                timings.asked(request);
            }
            send(to, new Envelope(to.id(), peer.self(), request, message));
            loop.schedule(
                    () -> {
                        if (peer.awaits(request)) {
                            timings.ended(request);
                            transport.links().doubt(to.address());
                            step(new Event.RequestTimeout(request));
                        }
                    },
                    deadlineMillis,
                    TimeUnit.MILLISECONDS);
        }

        @Override
        public void tell(Member to, long request, Message message) {
            send(to, new Envelope(to.id(), peer.self(), request, message));
        }

        @Override
        public void wake(Timer timer, long afterMillis) {
            loop.schedule(
                    () -> step(new Event.TimerFired(
                            timer, ThreadLocalRandom.current().nextLong())),
                    afterMillis,
                    TimeUnit.MILLISECONDS);
        }

        @Override
        public void answer(long ticket, Answer answer) {
            answered++;
            Optional.ofNullable(lookups.remove(ticket)).ifPresent(waiting -> waiting.complete(timings.of(answer)));
        }

        /** The files here are compared with the ring after every change, no matter which peer hands over files. */
        @Override
        public void handOver(Range range, Member to) {}

        @Override
        public void takeOver(Range range) {}

        @Override
        public void changed() {
            noticed();
        }

        @Override
        public void refused(Member other) {
            entered.completeExceptionally(
                    new IOException("another member has the id of " + peer.self() + ": " + other));
        }
    }
}
