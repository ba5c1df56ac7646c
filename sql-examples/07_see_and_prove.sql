-- What the hot store, tiering and readers do, and the proof that both tiers agree.
-- Run with: ./thermocline sql -f sql-examples/07_see_and_prove.sql
CREATE DATABASE IF NOT EXISTS example_07;
DROP TABLE IF EXISTS example_07.stock;

CREATE TABLE example_07.stock (
  item STRING,
  pieces INT,
  PRIMARY KEY (item) NOT ENFORCED
) WITH ('tiering.freshness' = '1 h');

SET 'execution.runtime-mode' = 'batch';
SET 'table.dml-sync' = 'true';

INSERT INTO example_07.stock VALUES ('bolt', 100), ('nut', 200);
CALL sys.tier('example_07.stock');
INSERT INTO example_07.stock VALUES ('nut', 150), ('washer', 70);

-- Each bucket: what the lake holds, what readers see, and what lies between.
-- Expected: 2 records are tiered, 5 can be read (a change is two), 3 keys in the index.
SELECT bucket, tiered_offset, readable_offset, tail_records, key_index_rows
FROM example_07.`stock$buckets`;

-- Each tiering round. Expected: 2 rows in 1 file, nobody else wrote to the lake table.
SELECT written_rows, written_files, foreign_commits, failure
FROM example_07.`stock$tiering`;

-- Changelog, key index and lake at one cut. Expected: agrees is TRUE.
CALL sys.verify('example_07.stock');
