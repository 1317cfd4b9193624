-- Holds a lock of the application while it changes a row that nobody else wants.
SELECT current_setting('cause.locks')::int AS locks \gset
\set lock random(1, :locks)
\set aid random(1, 90000)
BEGIN;
SELECT pg_advisory_xact_lock(:lock);
UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :aid;
END;
