package dev.perhaps.chord.web;

import dev.perhaps.chord.Member;
import dev.perhaps.chord.host.RingView;
import dev.perhaps.web.admin.JsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes a ring as JSON, for the command line and the page. The fields are in docs/peers.md. */
public final class RingJson {
    private RingJson() {}

    /** An object for each node, in the order of the circle, and one for each peer that does not answer. */
    public static List<String> lines(RingView ring) {
        List<String> lines = new ArrayList<>();
        ring.places().forEach(place -> lines.add(JsonText.object(json -> node(json, ring, place))));
        ring.unreached().forEach(address -> lines.add(JsonText.object(json -> unreached(json, ring, address))));
        return lines;
    }

    /** The whole ring in one object. */
    static String of(RingView ring) {
        return JsonText.object(json -> json.field("settled", ring.isSettled())
                .objects("nodes", ring.places(), (node, place) -> node(node, ring, place))
                .objects("unreached", ring.unreached(), (peer, address) -> {
                    unreached(peer, ring, address);
                    peer.field("left", ring.gone().containsKey(address));
                }));
    }

    private static void node(JsonText json, RingView ring, RingView.Place place) {
        json.field("id", place.member().id().toString())
                .field("address", place.member().address())
                .field("from", place.range().from().toString())
                .field("share", place.share())
                .field("health", place.health().name().toLowerCase(Locale.ROOT));
        ring.load().getOrDefault(place.member().address(), Map.of()).forEach(json::field);
    }

    private static void unreached(JsonText json, RingView ring, String address) {
        json.field("address", address)
                .field("health", ring.gone().getOrDefault(address, "not reachable"))
                .strings(
                        "ids",
                        ring.lost().stream()
                                .filter(member -> member.address().equals(address))
                                .map(Member::id)
                                .map(Object::toString)
                                .toList());
    }
}
