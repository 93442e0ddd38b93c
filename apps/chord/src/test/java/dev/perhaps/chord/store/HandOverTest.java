package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;

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
        return new HandOver(1, 60_000).run(next::next);
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
        assertThat(new HandOver(1, -1).run(() -> UNCERTAIN)).isEqualTo(3);
    }
}
