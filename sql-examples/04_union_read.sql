-- The lake holds what was tiered; the table is the lake plus the hot tail.
-- Run with: ./thermocline sql -f sql-examples/04_union_read.sql
CREATE DATABASE IF NOT EXISTS example_04;
DROP TABLE IF EXISTS example_04.stock;

CREATE TABLE example_04.stock (
  item STRING,
  pieces INT,
  PRIMARY KEY (item) NOT ENFORCED
) WITH ('tiering.freshness' = '1 h');

SET 'execution.runtime-mode' = 'batch';
SET 'table.dml-sync' = 'true';

INSERT INTO example_04.stock VALUES ('bolt', 100), ('nut', 200);
CALL sys.tier('example_04.stock');
INSERT INTO example_04.stock VALUES ('nut', 150), ('washer', 70);

-- The lake alone, as any other engine sees it. Expected: bolt 100, nut 200.
SELECT * FROM example_04.`stock$lake` ORDER BY item;

-- The table. Expected: bolt 100, nut 150, washer 70.
SELECT * FROM example_04.stock ORDER BY item;

-- The hot tier alone: the key index has every key. Expected: the same three rows.
SELECT * FROM example_04.stock /*+ OPTIONS('scan.tier' = 'hot') */ ORDER BY item;

-- The lake's snapshots, from its own metadata.
SELECT COUNT(*) > 0 AS has_snapshots FROM example_04.`stock$snapshots`;
