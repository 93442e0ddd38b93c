package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.chord.host.PeerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How long a peer that leaves tries to give away what it has. */
class HandOverTest {
    private static final HandOver.Round REFUSED = new HandOver.Round(3, true);
    private static final HandOver.Round UNCERTAIN = new HandOver.Round(3, false);
    private static final HandOver.Round DONE = new HandOver.Round(0, true);

    private static int run(List<HandOver.Round> rounds) throws InterruptedException {
        Iterator<HandOver.Round> next = rounds.iterator();
        return new HandOver(1, 60_000, 60_000).run(next::next);
    }

    private static Stream<HandOver.Round> times(int number, HandOver.Round round) {
        return IntStream.range(0, number).mapToObj(i -> round);
    }

    @Test
    void whatWasPromisedOrFoundNoAnswerIsTriedAgainAsLongAsThereIsTime() throws InterruptedException {
        assertThat(run(List.of(DONE))).isZero();
        assertThat(run(Stream.concat(times(100, UNCERTAIN), Stream.of(DONE)).toList()))
                .isZero();
        assertThat(run(Stream.of(times(100, UNCERTAIN), times(4, REFUSED), Stream.of(DONE))
                        .flatMap(each -> each)
                        .toList()))
                .as("a promise that ends during a round leaves all further rounds")
                .isZero();
    }

    @Test
    void whatEverybodyRefusesStaysAfterAFewRounds() throws InterruptedException {
        assertThat(run(times(5, REFUSED).toList())).isEqualTo(3);
    }

    @Test
    void nothingIsTriedAfterItsTime() throws InterruptedException {
        Iterator<HandOver.Round> fewer =
                List.of(UNCERTAIN, new HandOver.Round(2, false), DONE).iterator();
        assertThat(new HandOver(1, 60_000, -1).run(fewer::next)).isEqualTo(3);
    }

    @Test
    void manyFilesAreGivenAwayAsLongAsSomeAreTaken() throws InterruptedException {
        Stream<HandOver.Round> fewer = IntStream.range(0, 100).mapToObj(i -> new HandOver.Round(100 - i, false));
        Iterator<HandOver.Round> next =
                Stream.concat(fewer, Stream.of(DONE)).toList().iterator();
        assertThat(new HandOver(1, -1, 60_000).run(next::next)).isZero();
    }

    @Test
    void thatNothingIsTakenForLongIsTheEnd() throws InterruptedException {
        Iterator<HandOver.Round> next = List.of(UNCERTAIN, UNCERTAIN, DONE).iterator();
        assertThat(new HandOver(1, -1, 60_000).run(next::next)).isEqualTo(3);
    }

    /** Killing a peer before it gives up takes away the only copies of what it had not handed over. */
    @Test
    void theServiceManagerWaitsLongerThanAPeerTakesToLeave() throws IOException {
        Path root = Path.of("../..");
        assertThat(PeerProcess.MAX_LEAVE_SECONDS).isEqualTo(9 * 60);
        assertThat(Files.readString(root.resolve("deploy/systemd/perhaps-peer.service")))
                .contains("\nTimeoutStopSec=10min\n");
        for (String page : List.of("deploy/README.md", "docs/peers.md")) {
            assertThat(Files.readString(root.resolve(page)).replaceAll("\\s+", " "))
                    .contains("gives up after 9 minutes");
        }
    }
}
