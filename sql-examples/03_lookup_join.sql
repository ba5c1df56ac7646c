-- A lookup join asks the key index of a primary-key table, by the whole key or by a prefix of it.
-- Run with: ./thermocline sql -f sql-examples/03_lookup_join.sql
CREATE DATABASE IF NOT EXISTS example_03;
DROP TABLE IF EXISTS example_03.rates;
DROP TABLE IF EXISTS example_03.orders;

CREATE TABLE example_03.rates (
  currency STRING,
  valid_from DATE,
  rate DECIMAL(10, 4),
  PRIMARY KEY (currency, valid_from) NOT ENFORCED
) WITH ('bucket' = '2', 'bucket-key' = 'currency');

CREATE TABLE example_03.orders (
  id INT,
  currency STRING,
  day_of_order DATE,
  amount DECIMAL(10, 2)
);

SET 'execution.runtime-mode' = 'batch';
SET 'table.dml-sync' = 'true';

INSERT INTO example_03.rates VALUES
  ('EUR', DATE '2024-01-01', 1.1000), ('EUR', DATE '2024-02-01', 1.0800),
  ('GBP', DATE '2024-01-01', 1.2700);
INSERT INTO example_03.orders VALUES
  (1, 'EUR', DATE '2024-02-01', 100.00), (2, 'GBP', DATE '2024-01-01', 10.00),
  (3, 'CHF', DATE '2024-01-01', 5.00);

-- By the whole key; a miss is a miss. Expected: 1 108.000000, 2 12.700000, 3 without a value.
SELECT o.id, o.amount * r.rate AS dollars
FROM (SELECT *, PROCTIME() AS p FROM example_03.orders) AS o
LEFT JOIN example_03.rates FOR SYSTEM_TIME AS OF o.p AS r
  ON o.currency = r.currency AND o.day_of_order = r.valid_from
ORDER BY o.id;

-- By a prefix of it: all rates of the currency. Expected: order 1 two rates, order 2 one.
SELECT o.id, COUNT(*) AS rates
FROM (SELECT *, PROCTIME() AS p FROM example_03.orders) AS o
JOIN example_03.rates FOR SYSTEM_TIME AS OF o.p AS r ON o.currency = r.currency
GROUP BY o.id ORDER BY o.id;
