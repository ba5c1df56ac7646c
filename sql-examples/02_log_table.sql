-- A log table keeps every row. A continuous query reads it from its beginning and goes on.
-- Run with: ./thermocline sql -f sql-examples/02_log_table.sql
CREATE DATABASE IF NOT EXISTS example_02;
DROP TABLE IF EXISTS example_02.clicks;
DROP TABLE IF EXISTS example_02.clicks_per_page;

CREATE TABLE example_02.clicks (
  page STRING,
  at_time TIMESTAMP_LTZ(3)
) WITH ('bucket' = '2');

CREATE TABLE example_02.clicks_per_page (
  page STRING,
  clicks BIGINT,
  PRIMARY KEY (page) NOT ENFORCED
);

SET 'execution.runtime-mode' = 'streaming';
SET 'table.dml-sync' = 'false';
INSERT INTO example_02.clicks_per_page
SELECT page, COUNT(*) FROM example_02.clicks GROUP BY page;

SET 'execution.runtime-mode' = 'batch';
SET 'table.dml-sync' = 'true';
INSERT INTO example_02.clicks VALUES
  ('home', TO_TIMESTAMP_LTZ(1000, 3)), ('home', TO_TIMESTAMP_LTZ(2000, 3)),
  ('docs', TO_TIMESTAMP_LTZ(3000, 3));

--! wait until SELECT COALESCE(SUM(clicks), 0) FROM example_02.clicks_per_page is 3 within 60 s
-- Expected: docs 1, home 2.
SELECT * FROM example_02.clicks_per_page ORDER BY page;
