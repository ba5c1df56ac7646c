package io.thermocline.benchmarks.driver;

import java.util.LinkedHashMap;
import java.util.Map;

/** A message between runner and driver: a name and named values, on one line. */
public final class Fields {

    private static final String SEPARATOR = "\t";

    private final String name;
    private final Map<String, String> values = new LinkedHashMap<>();

    public Fields(String name) {
        this.name = name;
    }

    /** Reads a line written by {@link #line}. */
    public static Fields parse(String line) {
        String[] parts = line.split(SEPARATOR);
        Fields fields = new Fields(parts[0]);
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException("'" + parts[i] + "' is not name=value: " + line);
            }
            fields.values.put(parts[i].substring(0, equals), parts[i].substring(equals + 1));
        }
        return fields;
    }

    public String name() {
        return name;
    }

    /** Sets a value; tabs and line ends in it become blanks. */
    public Fields with(String key, Object value) {
        values.put(key, String.valueOf(value).replaceAll("[\\t\\r\\n]+", " "));
        return this;
    }

    /** All values in the order they were set. */
    public Map<String, String> values() {
        return Map.copyOf(values);
    }

    /** A value that must be there. */
    public String get(String key) {
        String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException("'" + key + "' is missing in: " + line());
        }
        return value;
    }

    public String get(String key, String otherwise) {
        return values.getOrDefault(key, otherwise);
    }

    public long number(String key) {
        return Long.parseLong(get(key));
    }

    /** As one line, without its end. */
    public String line() {
        StringBuilder line = new StringBuilder(name);
        values.forEach(
                (key, value) -> line.append(SEPARATOR).append(key).append('=').append(value));
        return line.toString();
    }
}
