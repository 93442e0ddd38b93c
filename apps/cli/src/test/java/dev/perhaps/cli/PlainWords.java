package dev.perhaps.cli;

import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The one list of phrases that readers stumble over, for help, messages, pages and sources; each has a plain word. */
final class PlainWords {
    private static final String COUNTED = "(item|key|hash|letter|node|counter|step|position|page|request|query|bucket"
            + "|character|call|row|basket|KiB|line|document|word|field)";

    private static final List<String> BANNED = List.of(
            // "per", not "a"
            "\\b(ints?|bits?|bytes|lines?|points|keys|numbers|pages?|product|multiplication|comparison|buckets"
                    + "|counters|ns|JSON object) an? " + COUNTED + "\\b",
            "\\b[0-9]+ (bytes|bits|ns|lines|hashes|counters) an? [a-z]+",
            "\\b([Aa]|[Oo]ne) (line|step|word|byte|bit|row|field|object) an? [a-z]+",
            "\\bone an? (line|processor|character)\\b",
            "bits an? (item|key)",
            "bitsAnItem",
            "[a-z](?<!Of|For|To|Is|With|In|From)A(Second|Bucket|Document|Node|Page|Line)\\b",
            // defaults, conditions, quantities
            "if (nothing is|not) said",
            "\\bis said\\b",
            "\\bif none (is|was|has|meets|does)\\b|\\bif none[.,;)]",
            "; else (?!(echo|the)\\b)",
            "\\bso many\\b",
            "\\bso much or\\b",
            "\\bso (much|long|often)\\b(?! (that|as)\\b)(?<!not so much)",
            "\\b(of|or) so much\\b",
            "apart by",
            "askings",
            "stretch of time",
            "answers under way",
            "\\bmade up\\b",
            "\\bfrom which on\\b",
            "how alike [a-z]",
            "built alike",
            // old or poetic words
            "h[eo]lds? against",
            "\\bof late\\b",
            "\\b(came|comes) lately\\b",
            "\\bof what came\\b",
            "\\banew\\b",
            "\\btill\\b",
            "\\bfor ever\\b",
            "\\ball the same\\b",
            "\\bgoes? round\\b",
            "\\b(be|was|is) had\\b",
            "\\bbroke off\\b",
            "\\bin vain\\b",
            "a vain ",
            // negations
            "\\b(this|that|it) is no (?!longer|more|less)[a-z]+",
            "(?<!here )\\bis no (terminal|regular|file|text|list|plain|part|error|item|number)\\b",
            "\\b(is|are|was) none of (ours|[a-z' ]+ business)\\b",
            "none of [a-z' ]+ business",
            "nobody's interest",
            "\\bnobody at all\\b",
            // persons and possession
            "\\b[Ww]hoever\\b",
            "\\b(of|for|with) whom\\b",
            "\\b(know|told|makes?) whom\\b",
            "\\b(somebody|those) whom\\b",
            "\\bthe own\\b",
            "\\btold of\\b",
            "\\bis told (exactly|with|alike|as)\\b",
            "\\bkept count of\\b",
            "[Ww]hat is (wanted|to be shown)",
            "answered \"perhaps\"",
            "\\b(stands?|stood) alone\\b",
            "\\b(its|the) patience says\\b",
            "\\bsaid (not )?to exist\\b");

    private static final Pattern ANY = Pattern.compile(String.join("|", BANNED));

    private PlainWords() {}

    /** Returns the first banned phrase in a text, if there is one. */
    static Optional<String> banned(String text) {
        return ANY.matcher(text).results().map(MatchResult::group).findFirst();
    }
}
