package dev.perhaps.cli.console;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;

/** Writes one JSON object on one line. */
public final class Json {
    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    /** Fills an object. */
    @FunctionalInterface
    public interface Fields {
        void writeTo(JsonGenerator json) throws IOException;
    }

    public static String object(Fields fields) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.writeStartObject();
            fields.writeTo(json);
            json.writeEndObject();
        }
        return text.toString();
    }

    /** A number that is counted in its smallest unit: 1250 with 2 decimals is 12.50. */
    public static void number(JsonGenerator json, String name, long value, int decimals) throws IOException {
        json.writeFieldName(name);
        json.writeNumber(BigDecimal.valueOf(value, decimals).toPlainString());
    }

    public static void field(JsonGenerator json, String name, Object value) throws IOException {
        json.writeFieldName(name);
        value(json, value);
    }

    public static void value(JsonGenerator json, Object value) throws IOException {
        if (value instanceof Long number) {
            json.writeNumber(number);
        } else if (value instanceof Integer number) {
            json.writeNumber(number);
        } else if (value instanceof BigDecimal number) {
            json.writeNumber(number.toPlainString());
        } else if (value instanceof Double number) {
            json.writeNumber(number);
        } else if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else {
            json.writeString(value.toString());
        }
    }
}
