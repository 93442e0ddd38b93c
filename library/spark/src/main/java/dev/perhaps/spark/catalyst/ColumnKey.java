package dev.perhaps.spark.catalyst;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.key.Key;
import java.io.Serializable;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * Which key of the library the values of a SQL type have: the one place that decides it. Two values that Spark's join
 * finds equal have the same hash. Immutable; null is not a key and never comes here.
 */
public final class ColumnKey implements Serializable {
    /*
     *     type                                key in the frame                what is hashed
     *     TINYINT, SMALLINT, INT, BIGINT      int64                           the number
     *     BOOLEAN, DATE,                      int64 of boolean, of date,      0 or 1, days,
     *     TIMESTAMP, TIMESTAMP_NTZ            of timestamp, of timestamp_ntz  microseconds since 1970
     *     STRING, CHAR, VARCHAR, BINARY       utf8                            the bytes
     *     STRING with key => 'uuid'           uuid                            its two halves
     *     DECIMAL                             utf8 of decimal                 the shortest plain text: 1.50 as 1.5
     *     FLOAT, DOUBLE                       float64                         the double; -0.0 as 0.0, one NaN
     *     STRUCT                              struct<int64,utf8,…>            the hashes of the fields, null included
     *
     * What stands after " of " does not change the hash: the library and the command line open such a frame with the
     * key before it. Only here it is compared, so that a date is not looked up among numbers.
     *
     * Decimals are hashed as text because 1.5 may come as DECIMAL(2,1) on one side of a join and as DECIMAL(10,4) on
     * the other, and since the command line can then ask for it.
     */
    private static final Set<String> NUMBER_PARTS = Set.of("boolean", "date", "timestamp", "timestamp_ntz");
    private static final String DECIMAL_PART = "decimal";
    private static final String OF = " of ";
    private static final long NULL_HASH = 0x6A09E667F3BCC909L;
    private static final int UUID_LENGTH = 36;

    private enum Form {
        NUMBER,
        BYTES,
        DOUBLE,
        UUID,
        STRUCT
    }

    private final DataType type;
    private final Form form;
    private final String part;
    private final long seed;

    private transient @Nullable Key<?> key;

    private ColumnKey(DataType type, Form form, String part, long seed) {
        this.type = type;
        this.form = form;
        this.part = part;
        this.seed = seed;
    }

    /**
     * Returns the key of a type.
     *
     * @param wanted the name of a key that the type has besides its own, such as {@code uuid} of strings; empty for its
     *     own
     * @throws IllegalArgumentException if values of the type are not keys
     */
    public static ColumnKey of(DataType type, String wanted, long seed) {
        ColumnKey found = of(type, wanted.equals("uuid"), seed);
        if (!wanted.isEmpty() && !wanted.equals(base(found.key().name()))) {
            throw new IllegalArgumentException("a " + sql(type) + " has no key '" + wanted + "': use "
                    + (isText(type) ? "utf8 or uuid" : base(found.key().name())) + ", or cast the column");
        }
        return found;
    }

    private static ColumnKey of(DataType type, boolean uuid, long seed) {
        if (type instanceof StringType string) {
            if (!string.isUTF8BinaryCollation()) {
                throw new IllegalArgumentException("strings of the collation " + string.collationName()
                        + " may be equal with different bytes and are not keys: use COLLATE UTF8_BINARY");
            }
            return new ColumnKey(type, uuid ? Form.UUID : Form.BYTES, "", seed);
        }
        if (type instanceof LongType
                || type instanceof IntegerType
                || type instanceof ShortType
                || type instanceof ByteType) {
            return new ColumnKey(type, Form.NUMBER, "", seed);
        }
        if (type instanceof DateType
                || type instanceof TimestampType
                || type instanceof TimestampNTZType
                || type instanceof BooleanType) {
            return new ColumnKey(type, Form.NUMBER, type.typeName(), seed);
        }
        if (type instanceof BinaryType) {
            return new ColumnKey(type, Form.BYTES, "", seed);
        }
        if (type instanceof DecimalType) {
            return new ColumnKey(type, Form.BYTES, DECIMAL_PART, seed);
        }
        if (type instanceof DoubleType || type instanceof FloatType) {
            return new ColumnKey(type, Form.DOUBLE, "", seed);
        }
        if (type instanceof StructType struct) {
            if (struct.length() == 0) {
                throw new IllegalArgumentException("a STRUCT without fields is not a key");
            }
            ColumnKey all = new ColumnKey(type, Form.STRUCT, "", seed);
            all.key(); // fields that are not keys are refused now
            return all;
        }
        throw new IllegalArgumentException("a " + sql(type)
                + " is not a key: use numbers, strings, binary, dates, timestamps, booleans or a struct of them");
    }

    /**
     * Returns the key with which values of a type are looked up in a frame.
     *
     * @throws IllegalArgumentException if the frame holds keys of another type
     */
    @CanIgnoreReturnValue
    public static ColumnKey in(Key<?> frame, DataType type) {
        String base = base(frame.name());
        ColumnKey found = of(type, isText(type) && base.equals(Key.uuids().name()), frame.seed());
        boolean isInt = found.form == Form.NUMBER
                && found.part.isEmpty()
                && base.equals(Key.ints().name());
        String framePart = part(frame.name());
        boolean isTagged = NUMBER_PARTS.contains(framePart) || NUMBER_PARTS.contains(found.part);
        if (!isInt && !found.key().fits(frame) || isTagged && !framePart.equals(found.part)) {
            throw new IllegalArgumentException("the frame holds keys '" + frame.name() + "', and a " + sql(type)
                    + " is '" + found.key().name() + "': cast the value to the type that the frame was built from");
        }
        return found;
    }

    private static boolean isText(DataType type) {
        return type instanceof StringType;
    }

    static String sql(DataType type) {
        return type.sql();
    }

    private static String base(String name) {
        int of = name.indexOf(OF);
        return of < 0 ? name : name.substring(0, of);
    }

    static String part(String name) {
        int of = name.indexOf(OF);
        return of < 0 ? "" : name.substring(of + OF.length());
    }

    /** The key as the library knows it. Its values are those of {@link #kept}. */
    @CanIgnoreReturnValue
    public Key<?> key() {
        Key<?> known = key;
        if (known == null) {
            known = makeKey();
            key = known;
        }
        return known;
    }

    private Key<?> makeKey() {
        return switch (form) {
            case NUMBER -> named(Key.longs().seeded(seed));
            case BYTES -> named(Key.bytes().seeded(seed));
            case DOUBLE -> Key.doubles().seeded(seed);
            case UUID -> Key.uuids().seeded(seed);
            case STRUCT -> structKey((StructType) type, seed);
        };
    }

    private <T> Key<T> named(Key.Stored<T> plain) {
        return part.isEmpty() ? plain : plain.on(part, value -> value, value -> value);
    }

    private static Key<InternalRow> structKey(StructType type, long seed) {
        List<String> names = new ArrayList<>();
        List<Key<InternalRow>> fields = new ArrayList<>();
        for (StructField field : type.fields()) {
            ColumnKey key = of(field.dataType(), false, seed);
            names.add(key.part.isEmpty() ? key.key().name() : key.part);
            fields.add(new FieldKey(key, fields.size()));
        }
        String name = "struct<" + String.join(",", names) + ">";
        @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type cannot be made otherwise
        Key<InternalRow>[] parts = fields.toArray(new Key[0]);
        return Key.all(name, parts).seeded(seed);
    }

    /** One field of a struct; of all fields null is a value, as in Spark's comparison of structs. */
    private record FieldKey(ColumnKey column, int position) implements Key<InternalRow> {
        @Override
        public long hash(InternalRow row) {
            return row.isNullAt(position) ? NULL_HASH : column.hash(row.get(position, column.type));
        }

        @Override
        public String name() {
            return column.key().name();
        }

        @Override
        public long seed() {
            return column.seed;
        }

        @Override
        public Key<InternalRow> seeded(long seed) {
            return new FieldKey(new ColumnKey(column.type, column.form, column.part, seed), position);
        }
    }

    /** True if values come as primitive whole numbers. */
    boolean isNumber() {
        return form == Form.NUMBER && !(type instanceof BooleanType);
    }

    /** True if values come as strings that are hashed by their bytes. */
    boolean isUtf8() {
        return form == Form.BYTES && isText(type);
    }

    /** The hash of a value, which is not null. */
    public long hash(Object value) {
        return switch (form) {
            case NUMBER -> hashNumber(number(value));
            case BYTES ->
                value instanceof UTF8String text ? hashUtf8(text) : bytesKey().hash(bytes(value));
            case DOUBLE -> doubleKey().hash(((Number) value).doubleValue());
            case UUID -> uuidKey().hash(uuid((UTF8String) value));
            case STRUCT -> rowKey().hash((InternalRow) value);
        };
    }

    private transient Key.@Nullable Longs longs;
    private transient Key.@Nullable Bytes bytes;

    /** The hash of a whole number. */
    public long hashNumber(long value) {
        Key.Longs known = longs;
        if (known == null) {
            known = Key.longs().seeded(seed);
            longs = known;
        }
        return known.hash(value);
    }

    private Key.Bytes bytesKey() {
        Key.Bytes known = bytes;
        if (known == null) {
            known = Key.bytes().seeded(seed);
            bytes = known;
        }
        return known;
    }

    /** The hash of a string, read where it lies if that is an array. */
    public long hashUtf8(UTF8String text) {
        if (text.getBaseObject() instanceof byte[] array) {
            int from = (int) (text.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET);
            return bytesKey().hash(array, from, from + text.numBytes());
        }
        return bytesKey().hash(text.getBytes());
    }

    /**
     * Reads the values in rows {@code [0, rows)} of a column of this type, but the nulls.
     *
     * @param into where their hashes are put, from its start
     * @return the number of hashes
     */
    int hashes(ColumnVector column, int rows, long[] into) {
        if (isNumber()) {
            int count = numbers(column, rows, into);
            Key.Longs numbers = Key.longs().seeded(seed);
            for (int i = 0; i < count; i++) {
                into[i] = numbers.hash(into[i]);
            }
            return count;
        }
        boolean hasNull = column.hasNull();
        int count = 0;
        if (isUtf8()) {
            for (int row = 0; row < rows; row++) {
                if (!hasNull || !column.isNullAt(row)) {
                    into[count++] = hashUtf8(column.getUTF8String(row));
                }
            }
            return count;
        }
        ColumnarArray values = new ColumnarArray(column, 0, rows);
        for (int row = 0; row < rows; row++) {
            if (!hasNull || !column.isNullAt(row)) {
                into[count++] = hash(values.get(row, type));
            }
        }
        return count;
    }

    /** Reads whole numbers as {@link #hashes} does, and puts the numbers themselves. */
    int numbers(ColumnVector column, int rows, long[] into) {
        boolean hasNull = column.hasNull();
        int count = 0;
        if (type instanceof LongType || type instanceof TimestampType || type instanceof TimestampNTZType) {
            for (int row = 0; row < rows; row++) {
                if (!hasNull || !column.isNullAt(row)) {
                    into[count++] = column.getLong(row);
                }
            }
        } else if (type instanceof IntegerType || type instanceof DateType) {
            for (int row = 0; row < rows; row++) {
                if (!hasNull || !column.isNullAt(row)) {
                    into[count++] = column.getInt(row);
                }
            }
        } else {
            ColumnarArray values = new ColumnarArray(column, 0, rows);
            for (int row = 0; row < rows; row++) {
                if (!hasNull || !column.isNullAt(row)) {
                    into[count++] = number(values.get(row, type));
                }
            }
        }
        return count;
    }

    @SuppressWarnings("unchecked") // the key of this form
    private Key<Double> doubleKey() {
        return (Key<Double>) key();
    }

    @SuppressWarnings("unchecked") // the key of this form
    private Key<UUID> uuidKey() {
        return (Key<UUID>) key();
    }

    @SuppressWarnings("unchecked") // the key of this form
    private Key<InternalRow> rowKey() {
        return (Key<InternalRow>) key();
    }

    /** The number that a value of a type with the form of numbers is. */
    static long number(Object value) {
        return value instanceof Boolean flag ? (flag ? 1 : 0) : ((Number) value).longValue();
    }

    private static byte[] bytes(Object value) {
        if (value instanceof byte[] array) {
            return array;
        }
        if (value instanceof UTF8String text) {
            return text.getBytes();
        }
        BigDecimal plain = ((Decimal) value).toJavaBigDecimal().stripTrailingZeros();
        return plain.toPlainString().getBytes(StandardCharsets.UTF_8);
    }

    private static UUID uuid(UTF8String value) {
        String text = value.toString();
        try {
            if (text.length() == UUID_LENGTH) {
                return UUID.fromString(text);
            }
        } catch (IllegalArgumentException e) {
            // said below
        }
        throw new IllegalArgumentException("'" + text + "' is not a UUID, as 00112233-4455-6677-8899-aabbccddeeff is");
    }

    /** The key of a structure that keeps values. */
    @SuppressWarnings("unchecked") // see kept
    Key.Stored<Object> stored() {
        if (key() instanceof Key.Stored<?> stored) {
            return (Key.Stored<Object>) stored;
        }
        throw new IllegalArgumentException(
                "a top list cannot keep a " + sql(type) + ": give one column, or to_json of the struct");
    }

    /** A value as the key of this column takes it. */
    Object kept(Object value) {
        return switch (form) {
            case NUMBER -> number(value);
            case BYTES -> bytes(value);
            case DOUBLE -> ((Number) value).doubleValue() + 0.0;
            case UUID -> uuid((UTF8String) value);
            case STRUCT -> value;
        };
    }

    /**
     * A kept value as text that casts to the type of the column it came from; {@code part} is what the key's name says.
     */
    static UTF8String text(Object kept, String part) {
        if (kept instanceof byte[] array) {
            return UTF8String.fromBytes(array);
        }
        if (kept instanceof Long number) {
            return UTF8String.fromString(
                    switch (part) {
                        case "boolean" -> Boolean.toString(number != 0);
                        case "date" -> LocalDate.ofEpochDay(number).toString();
                        case "timestamp" ->
                            Instant.EPOCH.plus(number, ChronoUnit.MICROS).toString();
                        case "timestamp_ntz" ->
                            LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC)
                                    .plus(number, ChronoUnit.MICROS)
                                    .toString();
                        default -> number.toString();
                    });
        }
        return UTF8String.fromString(kept.toString());
    }
}
