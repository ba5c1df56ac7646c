-- Step 1. One catalog for hot and lake data, in an empty warehouse.
-- The lake's own catalog in the warehouse is its only metadata store. The lake is Paimon, and
-- Iceberg with 'lake' = 'iceberg'.
CREATE CATALOG thermocline WITH ('type' = 'thermocline', 'warehouse' = '.thermocline/quickstart');

USE CATALOG thermocline;

-- Step 2. Two files of real data: US airports, and US departures of early 2001.
CREATE TEMPORARY TABLE airports_csv (
  iata STRING, name STRING, city STRING, state STRING, country STRING,
  latitude DOUBLE, longitude DOUBLE
) WITH (
  'connector' = 'filesystem', 'path' = 'sql-examples/data/airports.csv', 'format' = 'csv',
  'csv.ignore-parse-errors' = 'true'
);

CREATE TEMPORARY TABLE flights_csv (
  flight_id INT, departure TIMESTAMP(0), delay INT, distance INT, origin STRING, destination STRING
) WITH (
  'connector' = 'filesystem', 'path' = 'sql-examples/data/flights.csv', 'format' = 'csv',
  'csv.ignore-parse-errors' = 'true'
);

-- Step 3. Three tables. With a primary key: upserts and deletes. Without: a log of rows.
-- Each is a lake table plus a hot tier, from one definition. Tiering on request only, for now.
CREATE TABLE airports (
  iata STRING, name STRING, city STRING, state STRING, country STRING,
  latitude DOUBLE, longitude DOUBLE,
  PRIMARY KEY (iata) NOT ENFORCED
) DISTRIBUTED BY HASH (iata) INTO 2 BUCKETS WITH ('tiering.freshness' = '1 h');

CREATE TABLE flights (
  flight_id INT, departure TIMESTAMP(0), delay INT, distance INT, origin STRING, destination STRING
) DISTRIBUTED BY HASH (flight_id) INTO 2 BUCKETS WITH ('tiering.freshness' = '1 h');

CREATE TABLE departures (
  airport STRING, flights BIGINT, avg_delay DOUBLE,
  PRIMARY KEY (airport) NOT ENFORCED
) DISTRIBUTED BY HASH (airport) INTO 2 BUCKETS WITH ('tiering.freshness' = '1 h');

-- Step 4. Load the files. A row is durable and visible once it is acknowledged.
SET 'execution.runtime-mode' = 'batch';

SET 'table.dml-sync' = 'true';

-- 3,376 airports; the header line has no latitude.
INSERT INTO airports SELECT * FROM airports_csv WHERE latitude IS NOT NULL;

-- 20,000 flights; the header line has no number.
INSERT INTO flights SELECT * FROM flights_csv WHERE flight_id IS NOT NULL;

-- Expected: 20,000 flights, 154,078 minutes of delay, 522 at most.
SELECT COUNT(*) AS flights, SUM(delay) AS total_delay, MAX(delay) AS max_delay FROM flights;

-- Expected: 3,376 airports.
SELECT COUNT(*) AS airports FROM airports;

-- Step 5. A lookup join asks the key index of airports for each flight.
SELECT f.origin, a.name, a.city, f.delay
FROM (SELECT *, PROCTIME() AS at_time FROM flights WHERE delay > 400) AS f
JOIN airports FOR SYSTEM_TIME AS OF f.at_time AS a ON f.origin = a.iata
ORDER BY f.delay DESC LIMIT 5;

-- Step 6. A continuous query keeps departures and average delay per airport up to date.
-- It goes on running while the statements below read.
SET 'execution.runtime-mode' = 'streaming';

SET 'table.dml-sync' = 'false';

INSERT INTO departures
SELECT origin, COUNT(*), AVG(CAST(delay AS DOUBLE)) FROM flights GROUP BY origin;

SET 'execution.runtime-mode' = 'batch';

SET 'table.dml-sync' = 'true';

--! wait until SELECT COALESCE(SUM(flights), 0) FROM departures is 20000 within 60 s
-- Expected: DFW 1,103, ORD 1,095, ATL 846, LAX 777, PHX 633.
SELECT d.airport, a.name, d.flights, CAST(d.avg_delay AS DECIMAL(6, 2)) AS avg_delay
FROM departures AS d JOIN airports AS a ON d.airport = a.iata
ORDER BY d.flights DESC LIMIT 5;

-- Step 7. Tier to the lake now: each call answers with the snapshot and the offsets in it.
CALL sys.tier('default.flights');

CALL sys.tier('default.airports');

CALL sys.tier('default.departures');

-- Step 8. Life goes on: three more flights from DFW, and DFW gets another name.
INSERT INTO flights VALUES
  (20001, TIMESTAMP '2001-04-01 08:00:00', 10, 802, 'DFW', 'ORD'),
  (20002, TIMESTAMP '2001-04-01 08:15:00', 20, 731, 'DFW', 'ATL'),
  (20003, TIMESTAMP '2001-04-01 08:30:00', 30, 1235, 'DFW', 'LAX');

INSERT INTO airports
SELECT iata, 'Dallas/Fort Worth International', city, state, country, latitude, longitude
FROM airports WHERE iata = 'DFW';

--! wait until SELECT flights FROM departures WHERE airport = 'DFW' is 1106 within 60 s
-- Step 9. Side by side: the lake table alone is stale, the table is complete and fresh.
-- Expected: 20,000 and 154,078 in the lake; 20,003 and 154,138 in the table.
SELECT 'lake' AS tier, COUNT(*) AS flights, SUM(delay) AS total_delay FROM `flights$lake`
UNION ALL
SELECT 'union', COUNT(*), SUM(delay) FROM flights;

-- Expected: the old name in the lake, the new one in the table; 3,376 airports in both.
SELECT 'lake' AS tier, COUNT(*) AS airports,
  MAX(CASE WHEN iata = 'DFW' THEN name END) AS dfw FROM `airports$lake`
UNION ALL
SELECT 'union', COUNT(*), MAX(CASE WHEN iata = 'DFW' THEN name END) FROM airports;

-- Expected: 1,103 departures from DFW in the lake, 1,106 in the table.
SELECT 'lake' AS tier, SUM(flights) AS flights,
  MAX(CASE WHEN airport = 'DFW' THEN flights END) AS dfw FROM `departures$lake`
UNION ALL
SELECT 'union', SUM(flights), MAX(CASE WHEN airport = 'DFW' THEN flights END) FROM departures;
