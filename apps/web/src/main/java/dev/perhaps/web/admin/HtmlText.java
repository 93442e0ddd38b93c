package dev.perhaps.web.admin;

/** Text from anywhere, made safe for a page. */
public final class HtmlText {
    private HtmlText() {}

    /** Returns the text with the characters that mean something in HTML escaped, for an element or a quoted attribute. */
    public static String of(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '&' -> safe.append("&amp;");
                case '"' -> safe.append("&quot;");
                case '\'' -> safe.append("&#39;");
                default -> safe.append(c);
            }
        }
        return safe.toString();
    }
}
