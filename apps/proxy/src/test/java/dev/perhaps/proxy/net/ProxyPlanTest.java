package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Origin;
import org.junit.jupiter.api.Test;

class ProxyPlanTest {
    /** Symptom: two proxies that were planned from one plan got the name and limits of the second. */
    @Test
    void aPlanStaysAsItIsWhenAnotherIsMadeFromIt() {
        ProxyPlan common =
                ProxyServer.before(Origin.of("http://localhost:8000")).name("common");
        Limits limits = common.limits();
        ProxyPlan one = common.name("one").limits(Limits.ofCache(8 << 20)).keepHost(true);
        ProxyPlan two = one.name("two").staleIfErrorSeconds(60);
        assertThat(common.name()).isEqualTo("common");
        assertThat(common.limits()).isSameAs(limits);
        assertThat(common.keepHost()).isFalse();
        assertThat(one.name()).isEqualTo("one");
        assertThat(one.staleIfErrorSeconds()).isZero();
        assertThat(two.name()).isEqualTo("two");
        assertThat(two.limits()).isEqualTo(Limits.ofCache(8 << 20));
        assertThat(two.keepHost()).isTrue();
        assertThat(two.counters()).as("what is not changed is shared").isSameAs(common.counters());
    }
}
