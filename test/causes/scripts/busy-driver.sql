SELECT current_setting('cause.work')::int AS work \gset
\if :work > 0
-- So near to 1, pgbench draws hundreds of numbers until one fits.
\set work random_zipfian(1, 10, 1.001)
\set work random_zipfian(1, 10, 1.001)
\set work random_zipfian(1, 10, 1.001)
\set work random_zipfian(1, 10, 1.001)
\set work random_zipfian(1, 10, 1.001)
\set work random_zipfian(1, 10, 1.001)
\set work random_zipfian(1, 10, 1.001)
\set work random_zipfian(1, 10, 1.001)
\set work random_zipfian(1, 10, 1.001)
\set work random_zipfian(1, 10, 1.001)
\set work random_zipfian(1, 10, 1.001)
\set work random_zipfian(1, 10, 1.001)
\set work random_zipfian(1, 10, 1.001)
\set work random_zipfian(1, 10, 1.001)
\set work random_zipfian(1, 10, 1.001)
\set work random_zipfian(1, 10, 1.001)
\endif
\set aid random(1, 100000)
UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :aid;
