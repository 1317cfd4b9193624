-- Reads five hundred rows that lie far apart.
\set start random(1, 990000)
SELECT sum(abalance) FROM pgbench_accounts WHERE aid IN (SELECT :start * 7 % 1000000 + i * 9973 % 1000000 FROM generate_series(1, 500) AS i);
