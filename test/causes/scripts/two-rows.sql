-- Changes two of twenty rows in no fixed order, and thinks between them.
\set one random(1, 20)
\set other random(1, 20)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :one;
\sleep 1 ms
UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :other;
END;
