-- A partitioned primary-key table; the partition column is part of the key.
-- Run with: ./thermocline sql -f sql-examples/05_partitions.sql
CREATE DATABASE IF NOT EXISTS example_05;
DROP TABLE IF EXISTS example_05.visits;

CREATE TABLE example_05.visits (
  day_of_visit DATE,
  visitor BIGINT,
  pages INT,
  PRIMARY KEY (day_of_visit, visitor) NOT ENFORCED
) PARTITIONED BY (day_of_visit);

SET 'execution.runtime-mode' = 'batch';
SET 'table.dml-sync' = 'true';

INSERT INTO example_05.visits VALUES
  (DATE '2024-05-01', 1, 3), (DATE '2024-05-01', 2, 1), (DATE '2024-05-02', 1, 7);
CALL sys.tier('example_05.visits');
INSERT INTO example_05.visits VALUES (DATE '2024-05-02', 2, 4), (DATE '2024-05-01', 1, 5);

-- Expected: 2024-05-01 2 visitors 6 pages, 2024-05-02 2 visitors 11 pages.
SELECT day_of_visit, COUNT(*) AS visitors, SUM(pages) AS pages
FROM example_05.visits GROUP BY day_of_visit ORDER BY day_of_visit;

-- A predicate on the partition column reads that partition only. Expected: 1 7 and 2 4.
SELECT visitor, pages FROM example_05.visits
WHERE day_of_visit = DATE '2024-05-02' ORDER BY visitor;
