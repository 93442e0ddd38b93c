package dev.perhaps.key;

import java.net.IDN;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.StringJoiner;

/** The host of a {@link Url} in canonical form: a name, or an address in its one way to be written. */
record UrlHost(String text, boolean isAddress) {
    /*
     * A name: no dots around it, one dot between labels, lower case, other scripts in Punycode (IDNA 2003, which is
     * what the JDK has; with IDNA 2008 a few letters, as ß, would give other names). A label that is not UTF-8, or that
     * IDNA refuses, stays what it is and is escaped.
     *
     * An IPv4 address may be written with one to four numbers, each decimal, octal (0…) or hexadecimal (0x…), the last
     * of which fills all bytes that are left: 3279880203, 0xc3.0177.11 and 195.127.0.11 are one address. An IPv6
     * address that stands for an IPv4 address (::ffff:0:0/96, and 64:ff9b::/96 of NAT64) becomes that one.
     */
    private static final int MAX_NUMBERS = 4;
    private static final long MAX_ADDRESS = 0xFFFF_FFFFL;

    /** What would end the host, were it there: some letters become one of these in IDNA (℀ is a/c). */
    private static final String DELIMITERS = "/?#@:[]%\\\u007F";

    /** The dots of other scripts that IDNA takes for one, as their UTF-8 bytes: U+3002, U+FF0E, U+FF61. */
    private static final String[] OTHER_DOTS = {"\u00E3\u0080\u0082", "\u00EF\u00BC\u008E", "\u00EF\u00BD\u00A1"};

    private static final byte[] NAT64 = {0, 0x64, (byte) 0xFF, (byte) 0x9B, 0, 0, 0, 0, 0, 0, 0, 0};

    /** Takes the bytes of a host, one per char; the URL is for the message. */
    static UrlHost of(String bytes, String url) {
        if (bytes.startsWith("[")) {
            return ofBracketed(bytes, url);
        }
        String name = lowerCase(oneDotEach(toAscii(oneDotEach(withPlainDots(bytes)))));
        if (name.isEmpty()) {
            throw Url.refusal(url, "has no host");
        }
        if (name.indexOf('[') >= 0 || name.indexOf(']') >= 0) {
            throw Url.refusal(url, "has brackets inside its host");
        }
        long address = ipv4(name);
        return address < 0 ? new UrlHost(Url.escape(name), false) : new UrlHost(dotted((int) address), true);
    }

    private static String withPlainDots(String bytes) {
        String host = bytes;
        for (String dot : OTHER_DOTS) {
            host = host.replace(dot, ".");
        }
        return host;
    }

    private static String oneDotEach(String host) {
        StringBuilder out = new StringBuilder(host.length());
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            if (c != '.' || !out.isEmpty() && out.charAt(out.length() - 1) != '.') {
                out.append(c);
            }
        }
        if (!out.isEmpty() && out.charAt(out.length() - 1) == '.') {
            out.setLength(out.length() - 1);
        }
        return out.toString();
    }

    /** Puts every label that is not ASCII into Punycode, or leaves it: what a label becomes depends on no other. */
    private static String toAscii(String host) {
        if (host.chars().allMatch(c -> c < 0x80)) {
            return host;
        }
        StringJoiner labels = new StringJoiner(".");
        for (String label : host.split("\\.", -1)) {
            labels.add(labelToAscii(label));
        }
        return labels.toString();
    }

    private static String labelToAscii(String bytes) {
        try {
            String label = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1)))
                    .toString();
            // The alphabet of today has letters that IDNA 2003 had not heard of.
            String ascii = IDN.toASCII(label, IDN.ALLOW_UNASSIGNED);
            return ascii.chars().anyMatch(c -> c <= ' ' || DELIMITERS.indexOf(c) >= 0) ? bytes : ascii;
        } catch (CharacterCodingException | IllegalArgumentException notAName) {
            return bytes;
        }
    }

    private static String lowerCase(String bytes) {
        StringBuilder out = new StringBuilder(bytes);
        for (int i = 0; i < out.length(); i++) {
            char c = out.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                out.setCharAt(i, (char) (c + 32));
            }
        }
        return out.toString();
    }

    /** The IPv4 address that a name is a spelling of, or −1. */
    private static long ipv4(String name) {
        String[] numbers = name.split("\\.", MAX_NUMBERS + 1);
        if (numbers.length > MAX_NUMBERS) {
            return -1;
        }
        long address = 0;
        for (int i = 0; i < numbers.length; i++) {
            boolean last = i == numbers.length - 1;
            int bits = last ? 8 * (MAX_NUMBERS - i) : 8;
            long number = number(numbers[i]);
            if (number < 0 || number >>> bits != 0) {
                return -1;
            }
            address = address << bits | number;
        }
        return address;
    }

    /** The number that C's inet_aton would read, or −1. */
    private static long number(String digits) {
        int radix = 10;
        int from = 0;
        if (digits.startsWith("0x")) {
            radix = 16;
            from = 2;
        } else if (digits.startsWith("0") && digits.length() > 1) {
            radix = 8;
            from = 1;
        }
        long number = from == digits.length() ? -1 : 0;
        for (int i = from; i < digits.length() && number >= 0; i++) {
            char c = digits.charAt(i);
            int digit = c < 0x80 ? Character.digit(c, radix) : -1;
            number = digit < 0 ? -1 : number * radix + digit;
            if (number > MAX_ADDRESS) {
                return -1;
            }
        }
        return number;
    }

    private static String dotted(int address) {
        return (address >>> 24) + "." + (address >>> 16 & 255) + "." + (address >>> 8 & 255) + "." + (address & 255);
    }

    private static UrlHost ofBracketed(String bytes, String url) {
        String inside =
                bytes.endsWith("]") ? bytes.substring(1, bytes.length() - 1).toLowerCase(Locale.ROOT) : "";
        if (inside.indexOf(':') < 0 || !inside.chars().allMatch(c -> "0123456789abcdef:.".indexOf(c) >= 0)) {
            throw Url.refusal(url, "has no IPv6 address between its brackets");
        }
        try {
            // Digits and colons are taken as an address; nothing is looked up.
            InetAddress address = InetAddress.getByName("[" + inside + "]");
            byte[] raw = address.getAddress();
            if (address instanceof Inet4Address) {
                return new UrlHost(address.getHostAddress(), true);
            }
            boolean nat64 = Arrays.equals(raw, 0, NAT64.length, NAT64, 0, NAT64.length);
            return new UrlHost(nat64 ? dotted(ByteBuffer.wrap(raw).getInt(NAT64.length)) : ipv6(raw), true);
        } catch (UnknownHostException e) {
            throw Url.refusal(url, "has no IPv6 address between its brackets");
        }
    }

    /** Eight groups without leading zeros, the longest run of zero groups (the first of equals) as two colons. */
    private static String ipv6(byte[] raw) {
        ByteBuffer groups = ByteBuffer.wrap(raw);
        int longest = 0;
        int longestAt = -1;
        for (int at = 0, run = 0; at < 8; at++) {
            run = groups.getShort(2 * at) == 0 ? run + 1 : 0;
            if (run > Math.max(1, longest)) {
                longest = run;
                longestAt = at - run + 1;
            }
        }
        StringBuilder out = new StringBuilder("[");
        for (int at = 0; at < 8; at++) {
            if (at == longestAt) {
                out.append("::");
                at += longest - 1;
            } else {
                if (at > 0 && out.charAt(out.length() - 1) != ':') {
                    out.append(':');
                }
                out.append(Integer.toHexString(groups.getShort(2 * at) & 0xFFFF));
            }
        }
        return out.append(']').toString();
    }
}
