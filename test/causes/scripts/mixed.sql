-- A transaction that can be made slow in several ways, by settings of the server, so that both variants run the same script.
SELECT current_setting('cause.rows')::int AS rows, current_setting('cause.work')::int AS work,
  current_setting('cause.sleep')::int AS sleep, current_setting('cause.think')::int AS think \gset
\set aid random(1, :rows)
UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :aid;
\if :work > 0
SELECT count(*) FROM generate_series(1, :work);
\endif
\if :sleep > 0
SELECT pg_sleep(:sleep / 1000.0);
\endif
\if :think > 0
\sleep :think ms
\endif
