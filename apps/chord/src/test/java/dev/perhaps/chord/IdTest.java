package dev.perhaps.chord;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class IdTest {
    private static final BigInteger CIRCLE = BigInteger.ONE.shiftLeft(Id.BITS);
    private static final Id ZERO = Id.of(new byte[20]);
    private static final Id LAST = Id.fromHex("f".repeat(40));

    @Test
    void isTheFirst160BitsOfSha256() {
        // FIPS 180-2, appendix B.1
        assertThat(Id.hashOf("abc")).hasToString("ba7816bf8f01cfea414140de5dae2223b00361a3");
        assertThat(Id.fromHex("ba7816bf8f01cfea414140de5dae2223b00361a3")).isEqualTo(Id.hashOf("abc"));
        assertThat(Id.of(Id.hashOf("abc").toBytes())).isEqualTo(Id.hashOf("abc"));
        assertThat(Id.hashOf("abc").brief()).isEqualTo("ba7816bf");
    }

    @Test
    void addsPowersOfTwoRoundTheCircle() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 2_000; i++) {
            Id id = i == 0 ? LAST : i == 1 ? ZERO : random(random);
            int k = i < 200 ? i % Id.BITS : random.nextInt(Id.BITS);
            BigInteger sum = number(id).add(BigInteger.ONE.shiftLeft(k)).mod(CIRCLE);
            assertThat(number(id.plusPowerOfTwo(k))).isEqualTo(sum);
        }
        for (int k = 0; k < Id.BITS; k++) {
            BigInteger sum = number(LAST).add(BigInteger.ONE.shiftLeft(k)).mod(CIRCLE);
            assertThat(number(LAST.plusPowerOfTwo(k))).isEqualTo(sum);
        }
    }

    @Test
    void isBetweenIfAWalkClockwiseMeetsItFirst() {
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < 5_000; i++) {
            Id a = random(random);
            Id b = random.nextInt(5) == 0 ? a : random(random);
            Id x = switch (random.nextInt(8)) {
                case 0 -> a;
                case 1 -> b;
                default -> random(random);
            };
            BigInteger toX = number(x).subtract(number(a)).mod(CIRCLE);
            BigInteger toB = number(b).subtract(number(a)).mod(CIRCLE);
            BigInteger lap = toB.signum() == 0 ? CIRCLE : toB;
            boolean between = toX.signum() > 0 && toX.compareTo(lap) < 0;
            assertThat(Id.between(a, x, b)).as("%s %s %s", a, x, b).isEqualTo(between);
            assertThat(Id.betweenClosed(a, x, b)).isEqualTo(between || x.equals(b));
        }
    }

    @Test
    void comparesAsUnsignedNumber() {
        assertThat(ZERO).isLessThan(LAST);
        assertThat(LAST.plusPowerOfTwo(0)).isEqualTo(ZERO).hasSameHashCodeAs(ZERO);
        assertThat(Id.fromHex("8" + "0".repeat(39)).turn()).isEqualTo(0.5);
    }

    @Test
    void refusesWhatIsNoId() {
        assertThatThrownBy(() -> Id.fromHex("abc"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("an id has 40 hexadecimal digits, got 'abc'");
        assertThatThrownBy(() -> Id.fromHex("x".repeat(40)))
                .hasMessageStartingWith("an id has hexadecimal digits only");
        assertThatThrownBy(() -> Id.of(new byte[3])).hasMessage("an id has 20 bytes, got 3");
        assertThatThrownBy(() -> ZERO.plusPowerOfTwo(160)).hasMessage("k must be in 0..159, got 160");
    }

    private static BigInteger number(Id id) {
        return new BigInteger(1, id.toBytes());
    }

    private static Id random(SplittableRandom random) {
        byte[] bytes = new byte[20];
        random.nextBytes(bytes);
        return Id.of(bytes);
    }
}
