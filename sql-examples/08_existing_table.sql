-- A hot tier in front of a lake table that has rows already, and away again.
-- Run with: ./thermocline sql -f sql-examples/08_existing_table.sql
CREATE DATABASE IF NOT EXISTS example_08;
DROP TABLE IF EXISTS example_08.customers;

-- A plain table of the lake, as any other job writes it. (On Paimon, a table with many rows is better
-- off with fixed buckets: 'bucket' = '8'.)
CREATE TABLE example_08.customers (
  id INT,
  name STRING,
  PRIMARY KEY (id) NOT ENFORCED
) WITH ('hot.enabled' = 'false');

SET 'execution.runtime-mode' = 'batch';
SET 'table.dml-sync' = 'true';

INSERT INTO example_08.customers VALUES (1, 'Ada'), (2, 'Alan');

ALTER TABLE example_08.customers SET ('hot.enabled' = 'true', 'tiering.freshness' = '1 h');

INSERT INTO example_08.customers VALUES (2, 'Alan T.'), (3, 'Grace');

-- The table: both tiers. Expected: Ada, Alan T., Grace.
SELECT * FROM example_08.customers ORDER BY id;

-- The lake alone does not have the changes yet. Expected: Ada, Alan.
SELECT * FROM example_08.`customers$lake` ORDER BY id;

ALTER TABLE example_08.customers SET ('hot.enabled' = 'false');

-- A plain table again, with every row. Expected: Ada, Alan T., Grace.
SELECT * FROM example_08.customers ORDER BY id;
