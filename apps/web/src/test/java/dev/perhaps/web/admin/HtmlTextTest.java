package dev.perhaps.web.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HtmlTextTest {
    @Test
    void nothingInItCanEndAnElementOrAnAttribute() {
        assertThat(HtmlText.of("<b title=\"a\" id='b'>&ä</b>"))
                .isEqualTo("&lt;b title=&quot;a&quot; id=&#39;b&#39;&gt;&amp;ä&lt;/b&gt;");
    }
}
