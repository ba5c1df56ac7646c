package io.thermocline.benchmarks.driver;

/** The values of one row, by column number. Reused from row to row; its strings are not. */
public final class BenchRow {

    private final long[] integers;
    private final double[] doubles;
    private final byte[][] strings;

    /** A row that rows of {@code shape} fit into. */
    public BenchRow(Shape shape) {
        int columns = shape.columnCount();
        integers = new long[columns];
        doubles = new double[columns];
        strings = new byte[columns][];
    }

    /** Value of an INT or BIGINT column. */
    public long integer(int column) {
        return integers[column];
    }

    /** Value of a DOUBLE column. */
    public double real(int column) {
        return doubles[column];
    }

    /** Value of a STRING column in UTF-8; not to be changed. */
    public byte[] text(int column) {
        return strings[column];
    }

    /** Sets the value of an INT or BIGINT column. */
    public void setInteger(int column, long value) {
        integers[column] = value;
    }

    /** Sets the value of a DOUBLE column. */
    public void setReal(int column, double value) {
        doubles[column] = value;
    }

    /** Sets the value of a STRING column. */
    public void setText(int column, byte[] value) {
        strings[column] = value;
    }
}
