package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How connections to the origin, and places in the queue for them, are divided among the addresses of clients. */
class ConnectionSharesTest {
    private static final int CONNECTIONS = 60;
    private static final int PLACES = 100;

    private final ConnectionShares<String> shares = new ConnectionShares<>(CONNECTIONS, PLACES, true);

    private static int takeAll(ConnectionShares<String> shares, long address, boolean upload) {
        int taken = 0;
        while (shares.mayTake(address, upload)) {
            shares.take(address);
            taken++;
        }
        return taken;
    }

    @Test
    void oneAddressLeavesHalfAndTheNextLeavesHalfOfThat() {
        assertThat(takeAll(shares, 1, false)).isEqualTo(CONNECTIONS / 2);
        assertThat(takeAll(shares, 2, false)).isEqualTo(CONNECTIONS / 4);
        assertThat(shares.mayTake(3, false)).isTrue();
    }

    @Test
    void addressesThatTakeInTurnsLeaveOneShareFree() {
        int[] taken = new int[5];
        for (boolean more = true; more; ) {
            more = false;
            for (int address = 0; address < taken.length; address++) {
                if (shares.mayTake(address, false)) {
                    shares.take(address);
                    taken[address]++;
                    more = true;
                }
            }
        }
        assertThat(taken).containsOnly(CONNECTIONS / (taken.length + 1));
    }

    @Test
    void uploadsOfAnAddressLeaveHalfOfItsShareToItsOtherRequests() {
        assertThat(takeAll(shares, 1, true)).isEqualTo(CONNECTIONS / 4);
        assertThat(takeAll(shares, 1, false)).isEqualTo(CONNECTIONS / 4);
    }

    @Test
    void allOfItIsForOneAddressThatMayHaveAllClients() {
        ConnectionShares<String> undivided = new ConnectionShares<>(CONNECTIONS, PLACES, false);
        assertThat(takeAll(undivided, 1, false)).isEqualTo(CONNECTIONS);
        assertThat(undivided.mayTake(2, false)).isFalse();
        for (int i = 0; i < PLACES; i++) {
            assertThat(undivided.await(1, "a" + i)).isTrue();
        }
        assertThat(undivided.await(2, "b")).isFalse();
    }

    @Test
    void oneAddressDoesNotTakeAllPlacesInTheQueue() {
        int placed = 0;
        while (shares.await(1, "a" + placed)) {
            placed++;
        }
        assertThat(placed).isEqualTo(PLACES / 2);
        assertThat(shares.await(2, "b")).isTrue();
    }

    @Test
    void whoHoldsTheFewestIsNextAndOfOneAddressWhoCameFirst() {
        shares.take(1);
        assertThat(shares.await(1, "a1")).isTrue();
        assertThat(shares.await(1, "a2")).isTrue();
        assertThat(shares.await(2, "b1")).isTrue();
        assertThat(shares.next(any -> true)).isEqualTo("b1");
        assertThat(shares.next(one -> !one.equals("a1"))).isEqualTo("a2");
        assertThat(shares.next(any -> true)).isEqualTo("a1");
        assertThat(shares.next(any -> true)).isNull();
    }

    @Test
    void nothingIsRememberedOfAnAddressThatHasLeft() {
        shares.take(1);
        assertThat(shares.await(2, "b")).isTrue();
        assertThat(shares.withdraw(2, "other")).isFalse();
        assertThat(shares.addresses()).isEqualTo(2);
        assertThat(shares.withdraw(2, "b")).isTrue();
        shares.giveBack(1);
        assertThat(shares.addresses()).isZero();
        assertThat(shares.waiting()).isZero();
    }
}
