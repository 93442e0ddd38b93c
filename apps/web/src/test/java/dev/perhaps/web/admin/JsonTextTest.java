package dev.perhaps.web.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class JsonTextTest {
    @Test
    void writesFieldsListsAndObjectsWithCommasBetweenThem() {
        String text = JsonText.object(json -> json.field("a", 1L)
                .field("b", 0.5)
                .field("c", true)
                .field("d", (String) null)
                .object("e", inner -> inner.field("f", "["))
                .object("g", inner -> {})
                .objects("h", List.of(1L, 2L), (each, n) -> each.field("n", n))
                .strings("i", List.of())
                .strings("j", List.of("{", "x")));
        assertThat(text)
                .isEqualTo("{\"a\":1,\"b\":0.5,\"c\":true,\"d\":null,\"e\":{\"f\":\"[\"},\"g\":{},"
                        + "\"h\":[{\"n\":1},{\"n\":2}],\"i\":[],\"j\":[\"{\",\"x\"]}");
    }

    @Test
    void escapesWhatWouldEndAStringALineOrAScript() {
        String name = "a\"b\\c\nd\u0000e</script>\u2028\u007f\ud83d\ude00\ud83dx\ude00";
        assertThat(JsonText.object(json -> json.field("n", name)))
                .isEqualTo(
                        "{\"n\":\"a\\\"b\\\\c\\u000ad\\u0000e\\u003c/script>\\u2028\\u007f\ud83d\ude00\\ud83dx\\ude00\"}");
    }

    @Test
    void refusesANumberThatJsonDoesNotHave() {
        assertThatThrownBy(() -> JsonText.object(json -> json.field("n", Double.NaN)))
                .hasMessage("n is not a number that JSON has: NaN");
    }
}
