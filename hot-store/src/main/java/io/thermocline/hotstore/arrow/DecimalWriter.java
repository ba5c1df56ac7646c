package io.thermocline.hotstore.arrow;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.math.BigDecimal;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.DecimalType;

/** Decimals as 128-bit integers of their unscaled value. */
final class DecimalWriter extends ColumnWriters.FixedWidthWriter<DecimalVector> {

    private final int precision;
    private final int scale;
    private final String path;

    DecimalWriter(DecimalType type, FieldVector vector, String path) {
        super((DecimalVector) vector);
        this.precision = type.getPrecision();
        this.scale = type.getScale();
        this.path = path;
    }

    @Override
    void writeValue(RowData source, int pos, int index) {
        DecimalData value = source.getDecimal(pos, precision, scale);
        if (value.isCompact() && value.scale() == scale && value.precision() <= precision) {
            vector.setSafe(index, value.toUnscaledLong());
            return;
        }
        BigDecimal exact = value.toBigDecimal();
        if (exact.scale() != scale || exact.precision() > precision) {
            exact = exactly(exact);
        }
        vector.setSafe(index, exact);
    }

    private BigDecimal exactly(BigDecimal value) {
        BigDecimal stripped = value.stripTrailingZeros();
        boolean fits =
                stripped.scale() <= scale
                        && stripped.precision() - stripped.scale() <= precision - scale;
        if (!fits) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "column '"
                            + path
                            + "' is DECIMAL("
                            + precision
                            + ", "
                            + scale
                            + ") and cannot hold "
                            + value.toPlainString()
                            + ". Cast the value to the column's type.");
        }
        return value.setScale(scale);
    }
}
