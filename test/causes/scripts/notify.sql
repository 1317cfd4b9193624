SELECT current_setting('cause.notify')::int AS notify \gset
\set aid random(1, 500000)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :aid;
\if :notify
NOTIFY account;
\endif
END;
