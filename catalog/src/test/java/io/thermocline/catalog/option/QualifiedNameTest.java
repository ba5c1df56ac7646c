package io.thermocline.catalog.option;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.catalog.ObjectPath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QualifiedNameTest {

    @Test
    void databaseAndTable() {
        assertThat(QualifiedName.parse("db.t")).contains(new ObjectPath("db", "t"));
        assertThat(QualifiedName.parse("`db`.t")).contains(new ObjectPath("db", "t"));
        assertThat(QualifiedName.parse("my db.a-b$c")).contains(new ObjectPath("my db", "a-b$c"));
        assertThat(QualifiedName.parse("`my.db`.`a``.b`"))
                .contains(new ObjectPath("my.db", "a`.b"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "t",
                "db.",
                ".t",
                "a.b.c",
                "`a.b`.c.d",
                "`a`b.c",
                "a`b`.c",
                "`a`",
                "``.t",
                "`a.b",
                "a.b`",
                "a..b",
                "db.t."
            })
    void everythingElseIsNone(String text) {
        assertThat(QualifiedName.parse(text)).isEmpty();
    }
}
