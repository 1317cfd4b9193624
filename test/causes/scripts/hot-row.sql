SELECT current_setting('cause.rows')::int AS rows \gset
\set aid random(1, :rows)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :aid;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
END;
