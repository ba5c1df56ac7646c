-- A table without a hot tier is a plain table of the lake in the same catalog.
-- Run with: ./thermocline sql -f sql-examples/06_plain_lake_table.sql
CREATE DATABASE IF NOT EXISTS example_06;
DROP TABLE IF EXISTS example_06.archive;

CREATE TABLE example_06.archive (
  id INT,
  note STRING
) WITH ('hot.enabled' = 'false');

SET 'execution.runtime-mode' = 'batch';
SET 'table.dml-sync' = 'true';

INSERT INTO example_06.archive VALUES (1, 'kept in the lake only');

-- Expected: one row.
SELECT * FROM example_06.archive;
