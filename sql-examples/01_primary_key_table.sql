-- A primary-key table: the last write of a key wins, and is visible at once.
-- Run with: ./thermocline sql -f sql-examples/01_primary_key_table.sql
CREATE DATABASE IF NOT EXISTS example_01;
DROP TABLE IF EXISTS example_01.users;

CREATE TABLE example_01.users (
  id BIGINT,
  name STRING,
  city STRING,
  PRIMARY KEY (id) NOT ENFORCED
) DISTRIBUTED BY HASH (id) INTO 2 BUCKETS;

SET 'execution.runtime-mode' = 'batch';
SET 'table.dml-sync' = 'true';

INSERT INTO example_01.users VALUES (1, 'Ada', 'London'), (2, 'Alan', 'Wilmslow'), (3, 'Grace', 'New York');
INSERT INTO example_01.users VALUES (3, 'Grace', 'Arlington');

-- Expected: three rows, Grace in Arlington.
SELECT * FROM example_01.users ORDER BY id;
