package io.thermocline.unionread.verify;

import org.apache.flink.table.data.binary.BinaryRowData;

/** Is shown every row of both sides. */
@FunctionalInterface
interface RowVisitor {

    /**
     * @param bucket bucket number; {@link Cut#ANY_BUCKET} where buckets are not kept apart
     * @param side where the row is
     * @param sign 1 if it is there, -1 if the changelog takes it away
     * @param row all columns, kind +I; valid during the call
     */
    void visit(int bucket, Side side, int sign, BinaryRowData row);
}
